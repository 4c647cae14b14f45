"""HadarE's planning: which copies run where, and bounds on what forking can reach."""
