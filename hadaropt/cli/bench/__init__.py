"""``hadaropt bench`` and its commands."""
