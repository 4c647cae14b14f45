"""Round schedulers on the same workloads, seed by seed."""
