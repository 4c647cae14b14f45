"""Column generation: the configuration LP, its pricing problem and its exact duals."""
