"""The compact integer program: runs and levels per job and round, without schedules as columns."""
