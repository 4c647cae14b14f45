"""Offline optima and bounds: sparse models, HiGHS, exact placements."""
