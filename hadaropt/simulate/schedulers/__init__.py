"""The schedulers that a simulator runs."""
