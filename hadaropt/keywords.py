"""Calls with a name that a function or class does not take: the nearest is named."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from hadaropt.errors import nearest

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=type)


def known_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Let calls that do not fit the parameters say which name was probably meant.

    Examples
    --------
    >>> @known_keywords
    ... def wait(*, seconds=1):
    ...     pass
    >>> wait(second=3)
    Traceback (most recent call last):
    TypeError: wait() has no parameter second; did you mean "seconds"?
    """
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return function(*arguments, **options)
        except TypeError:
            text = misfit(name, signature, arguments, options)
            if text is None:
                raise  # it comes from within
        raise TypeError(text)

    return call


def known_fields(cls: C) -> C:
    """Let a class say which of its parameters was probably meant: see `known_keywords`."""
    made = cast(Any, cls)
    made.__init__ = known_keywords(made.__init__)
    return cls


def misfit(
    name: str,
    signature: inspect.Signature,
    arguments: tuple[object, ...],
    options: dict[str, Any],
) -> str | None:
    """Return why a call does not fit the parameters of a function, in words; None if it does."""
    known = [p.name for p in signature.parameters.values() if p.name != "self"]
    unknown = next((key for key in options if key not in known), None)
    if unknown is not None:
        near = nearest(unknown, known)
        hint = f'; did you mean "{near}"?' if near else f" (it has {', '.join(known)})"
        return f"{name}() has no parameter {unknown}{hint}"
    try:
        signature.bind(*arguments, **options)
    except TypeError as bad:
        return f"{name}(): {bad}; its parameters are {signature_text(signature)}"
    return None


def signature_text(signature: inspect.Signature) -> str:
    """Return the names of parameters: ``name=`` for those by keyword only, [name] for optional."""
    names = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        by_keyword = "=" if parameter.kind is parameter.KEYWORD_ONLY else ""
        text = f"{parameter.name}{by_keyword}"
        names.append(text if parameter.default is parameter.empty else f"[{text}]")
    return ", ".join(names)
