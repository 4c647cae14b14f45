"""What can be tuned is explained, parameter by parameter, and cannot be changed."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest

from hadaropt.offline.params import SolveParams


def every_params(params: object) -> list[object]:
    found = [params]
    for field in fields(params):  # type: ignore[arg-type]
        value = getattr(params, field.name)
        if is_dataclass(value):
            found += every_params(value)
    return found


def test_every_parameter_is_explained_and_cannot_be_changed() -> None:
    for params in every_params(SolveParams()):
        documented = {
            name.strip()
            for line in (type(params).__doc__ or "").splitlines()
            if " : " in line
            for name in line.split(" : ")[0].split(",")
        }
        names = {field.name for field in fields(params)}  # type: ignore[arg-type]
        assert names <= documented, type(params).__name__
        assert hash(params) == hash(type(params)())
        with pytest.raises(AttributeError):
            setattr(params, next(iter(names)), 0)
