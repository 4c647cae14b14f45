"""Compiled pricing: the best schedules of jobs at given prices."""
