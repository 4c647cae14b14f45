"""Sample without run."""
