"""Split steps over nodes in proportion to their speed, to the last step."""

from __future__ import annotations

from collections.abc import Mapping

from hadaropt.errors import TrackerError, shown


def split_steps(steps: int, speeds: Mapping[str, int]) -> dict[str, int]:
    """Return the steps of each node: proportional to speed, exact in total.

    Node h gets ``floor(steps * v_h / sum(v))``; the steps left over go one each to the nodes with
    the largest remainders, in the order of ``speeds`` where remainders are equal (largest
    remainder method, Hamilton). Nobody is off by a whole step from the exact share.

    Parameters
    ----------
    steps : int
        Steps to split, >= 0.
    speeds : mapping of str to int
        Speed of each node in any common integer unit, >= 1.

    Returns
    -------
    dict of str to int
        In the order of ``speeds``; the values sum to ``steps``. A node may get 0.

    Raises
    ------
    TrackerError
        For steps < 0, a speed < 1, or no node at all.

    Examples
    --------
    >>> split_steps(10, {"a": 2, "b": 1, "c": 1})
    {'a': 5, 'b': 3, 'c': 2}
    """
    if steps < 0:
        raise TrackerError("steps", "must be >= 0", shown(steps))
    if not speeds:
        raise TrackerError("speeds", "must name a node")
    for node, speed in speeds.items():
        if speed < 1:
            raise TrackerError(f"speeds[{shown(node)}]", "must be >= 1", shown(speed))
    total = sum(speeds.values())
    shares = {node: steps * speed // total for node, speed in speeds.items()}
    left = steps - sum(shares.values())
    # Stable: nodes with equal remainders keep their order.
    by_remainder = sorted(speeds, key=lambda node: -(steps * speeds[node] % total))
    for node in by_remainder[:left]:
        shares[node] += 1
    return shares
