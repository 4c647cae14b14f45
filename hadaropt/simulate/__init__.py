"""Simulators of clusters that schedule in rounds, and their schedulers."""
