"""Families whose load can be asked for."""

from __future__ import annotations

from hypothesis import strategies as st

seeds = st.integers(0, 2**64 - 1)
