"""Price functions: one file each, on tables of exact integers."""
