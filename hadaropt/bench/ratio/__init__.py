"""Ratios of policies and schedulers against optima: the suite, its sweep, its contestants."""
