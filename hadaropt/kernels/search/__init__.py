"""Compiled local search over schedules of many jobs."""
