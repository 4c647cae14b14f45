"""One loader per original trace format."""
