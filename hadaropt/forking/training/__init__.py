"""Training forked jobs for real: tasks, the round loop, and engines that run the copies."""
