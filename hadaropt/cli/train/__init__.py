"""``hadaropt train``: its settings, files and progress."""
