"""Fuzzing of the file readers: ``python -m tests.fuzz --seconds 300``."""
