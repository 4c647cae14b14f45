"""Solvers that Ctrl-C has cut short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest


def cut_short(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Let the solver of that name in a module answer as it does after Ctrl-C."""
    honest: Callable[..., Any] = getattr(module, name)

    def interrupted(*arguments: Any, **options: Any) -> Any:
        return replace(honest(*arguments, **options), termination="interrupted")

    monkeypatch.setattr(module, name, interrupted)
