"""Gavel's allocation policies: shares of time on each type, by linear programs and by rules."""
