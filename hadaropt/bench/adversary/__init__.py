"""Search for small instances on which an online policy is at its worst."""
