"""The instance library: known optima and bounds, each with its certificate."""
