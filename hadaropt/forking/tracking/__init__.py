"""HadarE's job tracker: which steps of which copies count, and averages of their parameters."""
