"""HadarE: jobs forked into copies that train at the same time on different nodes."""
