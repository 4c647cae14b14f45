"""Better schedules inside branch-and-price: dives, ruin and recreate, restricted masters."""
