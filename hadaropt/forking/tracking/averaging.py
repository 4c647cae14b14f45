r"""Consolidation: one model from the copies of a round, weighted with the steps that they made.

.. math:: \bar x = \sum_i n_i x_i / \sum_i n_i

A model is a **tree**: nested mappings, lists and tuples whose leaves are numpy arrays, torch
tensors (a ``state_dict`` is a tree), numbers, texts or None. The conventions:

- Floating leaves, batch-norm means among them, are averaged. Sums are made in double precision
  and returned in the leaf's own type; the average lies between the least and the largest value,
  and equal copies are returned bit for bit.
- Batch-norm variances (``running_var`` beside ``running_mean``) become the variance of the
  mixture, :math:`\sum_i n_i (v_i + (m_i - \bar m)^2) / \sum_i n_i`: the variance of what the copies
  saw together, not the mean of what each saw.
- Integer leaves are counters (steps of Adam, ``num_batches_tracked``): the largest is kept. An
  average would be none, and a sum would count the common past once per copy.
- Truth values, texts and None must be equal.

Copies are taken in the order given, so give them in a fixed one (the tracker's is by node name):
sums of floats depend on order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hadaropt.errors import TrackerError, shown

Tree = Any
OptimiserPolicy = Literal["average", "reset"]
OPTIMISER_POLICIES: tuple[OptimiserPolicy, ...] = ("average", "reset")


def step_average(copies: Mapping[str, Tree], steps: Mapping[str, int]) -> Tree:
    """Return the step-weighted average of the copies' trees (conventions above).

    Parameters
    ----------
    copies : mapping of str to tree
        The copies by node; at least one.
    steps : mapping of str to int
        Steps n_i >= 1 of the same nodes.

    Returns
    -------
    tree
        Of the shape of the first copy; it shares no array with a copy.

    Raises
    ------
    TrackerError
        For no copy, steps < 1, values that are not finite, and trees that differ in names, shapes
        or types. The place names the copy and the leaf.

    Examples
    --------
    >>> copies = {"fast": {"w": np.array([0.0, 4.0])}, "slow": {"w": np.array([4.0, 4.0])}}
    >>> step_average(copies, {"fast": 3, "slow": 1})
    {'w': array([1., 4.])}
    """
    if not copies:
        raise TrackerError("copies", "must hold a copy")
    if set(copies) != set(steps):
        raise TrackerError("steps", "must name the nodes of the copies", shown(sorted(steps)))
    for node in copies:
        if steps[node] < 1:
            raise TrackerError(f"steps[{shown(node)}]", "must be >= 1", shown(steps[node]))
    places = [f"copies[{shown(node)}]" for node in copies]
    return _average(list(copies.values()), places, [steps[node] for node in copies])


def consolidate(
    copies: Mapping[str, Mapping[str, Tree]],
    steps: Mapping[str, int],
    *,
    optimiser: OptimiserPolicy = "average",
) -> dict[str, Tree]:
    """Return the consolidated state ``{"parameters": ..., "optimiser": ...}`` of a job.

    Parameters
    ----------
    copies : mapping of str to state
        States by node.
    steps : mapping of str to int
        Steps >= 1 by node.
    optimiser : {"average", "reset"}
        ``average``: moments are averaged like parameters and counters keep the largest, so Adam's
        bias correction goes on. ``reset``: every number of the optimiser's state becomes 0, so it
        starts anew from the consolidated parameters.

    Raises
    ------
    TrackerError
        As `step_average`, or for an unknown policy.
    """
    if optimiser not in OPTIMISER_POLICIES:
        rule = f"must be one of {', '.join(OPTIMISER_POLICIES)}"
        raise TrackerError("optimiser", rule, shown(optimiser))
    average: dict[str, Tree] = step_average(copies, steps)
    if optimiser == "reset":
        average["optimiser"] = _zeros(average["optimiser"])
    return average


def check_tree(tree: Tree, place: str = "") -> None:
    """Check that a tree can be consolidated: known kinds of leaves, all finite.

    Raises
    ------
    TrackerError
        Naming the leaf.
    """
    _average([tree], [place], [1])


def _average(trees: Sequence[Tree], places: Sequence[str], steps: Sequence[int]) -> Tree:
    first = trees[0]
    if isinstance(first, Mapping):
        return _average_mapping(trees, places, steps)
    if isinstance(first, list | tuple):
        for tree, place in zip(trees, places, strict=True):
            if not isinstance(tree, list | tuple) or len(tree) != len(first):
                size = len(tree) if isinstance(tree, list | tuple) else type(tree).__name__
                raise TrackerError(place, f"must hold {len(first)} items as {places[0]}", str(size))
        return [
            _average([tree[i] for tree in trees], [f"{place}[{i}]" for place in places], steps)
            for i in range(len(first))
        ]
    if isinstance(first, str | bool | None):
        for tree, place in zip(trees, places, strict=True):
            if type(tree) is not type(first) or tree != first:
                raise TrackerError(place, f"must equal {shown(first)} of {places[0]}", shown(tree))
        return first
    arrays = [_array(tree, place) for tree, place in zip(trees, places, strict=True)]
    return _like(first, _average_leaf(arrays, places, steps))


def _average_mapping(trees: Sequence[Tree], places: Sequence[str], steps: Sequence[int]) -> Tree:
    first = trees[0]
    for tree, place in zip(trees, places, strict=True):
        if not isinstance(tree, Mapping):
            raise TrackerError(place, f"must be a mapping as {places[0]}", type(tree).__name__)
        for name in [*first, *tree]:
            if name not in tree:
                raise TrackerError(f"{place}.{name}", f"is missing, {places[0]} holds it")
            if name not in first:
                raise TrackerError(f"{place}.{name}", f"is unknown to {places[0]}")
    average = {}
    for name in first:
        below = [f"{place}.{name}" for place in places]
        average[name] = _average([tree[name] for tree in trees], below, steps)
    for name in first:
        head, found, tail = str(name).rpartition("running_var")
        if found and not tail and (mean := f"{head}running_mean") in first:
            spread = [(_array(tree[mean], "") - _array(average[mean], "")) ** 2 for tree in trees]
            inside = [_array(tree[name], "") for tree in trees]
            mixed = [v + d for v, d in zip(inside, spread, strict=True)]
            below = [f"{place}.{name}" for place in places]
            average[name] = _like(first[name], _average_leaf(mixed, below, steps))
    return average


def _average_leaf(
    arrays: Sequence[NDArray[Any]], places: Sequence[str], steps: Sequence[int]
) -> NDArray[Any]:
    first = arrays[0]
    for array, place in zip(arrays, places, strict=True):
        if array.dtype != first.dtype:
            raise TrackerError(place, f"must be {first.dtype} as {places[0]}", str(array.dtype))
        if array.shape != first.shape:
            raise TrackerError(
                place, f"must have shape {first.shape} as {places[0]}", str(array.shape)
            )
    if first.dtype.kind == "b":
        for array, place in zip(arrays, places, strict=True):
            if not np.array_equal(array, first):
                raise TrackerError(place, f"must equal {places[0]}: truth values have no average")
        return first.copy()
    stacked = np.stack(arrays)
    if first.dtype.kind in "iu":
        largest: NDArray[Any] = stacked.max(axis=0)
        return largest
    for array, place in zip(arrays, places, strict=True):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            at = tuple(int(i) for i in bad[0])
            where = f"{place}[{', '.join(map(str, at))}]" if at else place
            raise TrackerError(where, "must be finite", str(array[at]))
    # Halves: the difference of two finite numbers may overflow, that of their halves cannot. The
    # clip makes equal copies return exactly themselves.
    wide = stacked.astype(np.float64)
    half = wide / 2
    total = sum(steps)
    moved = half[0].copy()
    for own, count in zip(half[1:], steps[1:], strict=True):
        moved += (own - half[0]) * (count / total)
    with np.errstate(over="ignore"):
        doubled = moved * 2
    average: NDArray[Any] = np.clip(doubled, wide.min(axis=0), wide.max(axis=0))
    return average.astype(first.dtype)


def _array(leaf: object, place: str) -> NDArray[Any]:
    """Return a leaf as an array of truth values, integers or floats."""
    tensor: Any = leaf
    if hasattr(leaf, "detach"):  # torch, which is not imported for it
        tensor = tensor.detach().cpu()
        if str(tensor.dtype) == "torch.bfloat16":  # unknown to numpy; float32 holds each value
            tensor = tensor.float()
        tensor = tensor.numpy()
    array = np.asarray(tensor)
    if array.dtype.kind not in "biuf":
        raise TrackerError(place, "must hold numbers", f"{type(leaf).__name__} of {array.dtype}")
    return array


def _like(leaf: object, array: NDArray[Any]) -> object:
    """Return the array as what the leaf was."""
    if hasattr(leaf, "detach"):
        import torch

        return torch.as_tensor(array).to(leaf)
    if isinstance(leaf, bool | int | float):
        return array.item()
    return array


def _zeros(tree: Tree) -> Tree:
    if isinstance(tree, Mapping):
        return {name: _zeros(item) for name, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [_zeros(item) for item in tree]
    if isinstance(tree, str | bool | None):
        return tree
    return _like(tree, np.zeros_like(_array(tree, "optimiser")))
