"""Figures; needs the extra ``plot`` (matplotlib)."""
