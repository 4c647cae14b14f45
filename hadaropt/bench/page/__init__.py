"""The report: one HTML page of a results folder that needs nothing else."""
