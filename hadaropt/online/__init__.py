"""Online algorithms that commit at arrival: price tables, policies, and the run."""
