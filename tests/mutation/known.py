"""Survivors that are no fault of the tests, each with the reason."""

from __future__ import annotations

KNOWN: dict[tuple[str, str], str] = {}
"""(function, change) -> why no test can or need tell it from the original."""
