"""Pareto labels of progress and cost: over rounds (`labels`) and over nodes (`forked`).

A list of labels runs by strictly decreasing progress and strictly decreasing cost; progress is
capped at what is needed. Labels are exact whatever the size of the numbers; only their count
limits them, and every function says so instead of dropping one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.potential import Guide, potential
from hadaropt.kernels.pricing.reached import reached

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)
ROOM = 2048
"""Labels of one job for which there is room at first."""


@kernel
def merge(
    at: Ints,
    paid: Ints,
    size: int,
    other_at: Ints,
    other_paid: Ints,
    other_size: int,
    gain: int,
    key: int,
    need: int,
    new_at: Ints,
    new_paid: Ints,
) -> int:
    """Undominated labels of a list and of another one with an option added; return their number.

    Returns -1 when the new arrays are too short.
    """
    i = j = m = 0
    lowest = int(INF)
    while i < size or j < other_size:
        p = c = q = d = -1
        if i < size:
            p, c = int(at[i]), int(paid[i])
        if j < other_size:
            q, d = min(need, int(other_at[j]) + gain), int(other_paid[j]) + key
        if p > q or (p == q and c <= d):
            i += 1
        else:
            j += 1
            p, c = q, d
        if c < lowest:
            if m > 0 and new_at[m - 1] == p:
                m -= 1
            if m == new_at.shape[0]:
                return -1
            new_at[m] = p
            new_paid[m] = c
            lowest = c
            m += 1
    return m


@kernel
def labels(
    start: Ints,
    progress: Ints,
    cost: Ints,
    need: int,
    worth: Ints,
    tie: int,
    budget: int,
) -> tuple[Ints, Ints, Ints, Ints, bool]:
    """Least cost of progress `need` by the end of each round, from Pareto labels.

    Parameters
    ----------
    start, progress, cost, need, worth, tie
        As in `hadaropt.kernels.pricing.cover.dense`.
    budget : int
        Most candidate labels (a label, and a label with an option added) over all rounds.

    Returns
    -------
    least : (N,) int64
        As in `hadaropt.kernels.pricing.cover.dense`. With `worth` it is the least cost where
        completing then is the first of the best payoffs; elsewhere it may be larger.
    first : (N + 2,) int64
        Labels after n rounds are first[n] .. first[n + 1] - 1, by decreasing progress.
    at, paid : int64
        Progress (capped at `need`) and key of each label.
    complete : bool
        False when the budget did not suffice: the rest is then undefined.
    """
    if worth.shape[0] > 0:
        found = reached(start, progress, cost, need, worth, tie)
        guide = potential(start, progress, cost, need, worth, tie, found)
    else:
        rounds = start.shape[0] - 1
        none = np.empty(0, np.int64)
        guide = Guide(0, rounds, int(need), 0, 0, 0, 0, none, start, progress, cost)
    return guided_labels(need, worth, tie, budget, guide)


@kernel
def guided_labels(
    need: int, worth: Ints, tie: int, budget: int, guide: Guide
) -> tuple[Ints, Ints, Ints, Ints, bool]:
    """Do what `labels` does with the options of the guide, by what it says where there is worth."""
    start, progress = guide.start, guide.progress
    rounds = max(guide.stop, worth.shape[0])
    rest = np.zeros(guide.stop + 1, np.int64)
    for n in range(guide.stop - 1, -1, -1):
        most = progress[start[n + 1] - 1] if start[n + 1] > start[n] else np.int64(0)
        rest[n] = rest[n + 1] + min(need, most)
    least = np.full(rounds, INF, np.int64)
    first = np.ones(rounds + 2, np.int64)
    first[0] = 0
    at, paid = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    spare_at, spare_paid = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    at[0] = paid[0] = 0
    if rest[0] < need:
        return least, first, at, paid, True
    state = _State(0, guide.best, guide.stop, int(INF), budget)
    while state.n < state.stop:
        state = _more_labels(
            state, need, worth, tie, guide, rest, least, first, at, paid, spare_at, spare_paid
        )  # fmt: skip
        if state.budget < 0:
            return least, first, at, paid, False
        if state.n < state.stop:  # there was no more room
            size = first[state.n + 1]
            room = 2 * (size + _room(state.n, start, first)) + 1
            wider = np.empty(room, np.int64)
            wider[:size] = at[:size]
            at = wider
            wider = np.empty(room, np.int64)
            wider[:size] = paid[:size]
            paid = wider
            spare_at, spare_paid = np.empty(room, np.int64), np.empty(room, np.int64)
    first[state.n + 2 :] = first[state.n + 1]
    return least, first, at, paid, True


class _State(NamedTuple):
    """How far labels are made.

    Attributes
    ----------
    n : int
        Round of which they are made next.
    best, stop : int
        As in `Guide`.
    cheaper : int
        The most that a later completion of use costs.
    budget : int
        What is left of it; below 0 if it did not suffice.
    """

    n: int
    best: int
    stop: int
    cheaper: int
    budget: int


@kernel
def _room(n: int, start: Ints, first: Ints) -> int:
    """Return the number of candidate labels of round n."""
    return int((first[n + 1] - first[n]) * (start[n + 1] - start[n] + 1))


@kernel
def _least_full(n: int, need: int, guide: Guide, at: Ints, paid: Ints, first: Ints) -> int:
    """Return the least key of progress `need` after round n, 2**62 if there is none."""
    begin, end = first[n], first[n + 1]
    full = paid[begin] if at[begin] >= need else INF
    for i in range(guide.start[n], guide.start[n + 1]):
        gain, j = guide.progress[i], begin
        while j < end and at[j] + gain >= need:
            j += 1
        if j > begin:
            full = min(full, paid[j - 1] + guide.cost[i])
    return int(full)


@kernel
def _more_labels(
    state: _State,
    need: int,
    worth: Ints,
    tie: int,
    guide: Guide,
    rest: Ints,
    least: Ints,
    first: Ints,
    at: Ints,
    paid: Ints,
    spare_at: Ints,
    spare_paid: Ints,
) -> _State:
    """Make the labels of further rounds, as long as there is room (and budget) for them.

    All arrays of labels are of one size. None is sliced or bound to a name in the loop: to
    count references takes longer than to merge lists.
    """
    n, best, stop, cheaper, budget = state
    start, progress, cost, ahead = guide.start, guide.progress, guide.cost, guide.ahead
    bounded = worth.shape[0] > 0
    while n < stop:
        begin, end = first[n], first[n + 1]
        room = _room(n, start, first)
        if max(end + room, 2 * room) >= at.shape[0]:
            break
        budget -= room
        if budget < 0:
            break
        full = _least_full(n, need, guide, at, paid, first)
        least[n] = full
        size = end
        reach, cut, limit = 0, int(INF), int(INF)
        if full < INF and not bounded:
            at[size], paid[size] = need, full
            size += 1
        if bounded:
            if full < INF:
                best = max(best, int(worth[n]) - full // tie)
                while stop > n + 1 and worth[stop - 1] < best:
                    stop -= 1
                # What is worth no more later has to be charged less to be the better one.
                cheaper = full // tie * tie - 1
            # Kept are the labels that rounds before `stop` can make one of the best schedules.
            later = int(worth[min(n + 1, worth.shape[0] - 1)])
            cut = min(cheaper, (later - best) * tie + tie - 1)
            reach = max(0, need - int(rest[n + 1]) + int(rest[stop]))
            limit = int(ahead[n + 1])
        bounds = _Bounds(
            full, reach, cut, limit, guide.price, guide.bits, guide.fine, guide.shift, guide.need
        )  # fmt: skip
        i, last = start[n], start[n + 1] - 1
        if i >= last:  # at most one option
            gain, key, second = 0, 0, end
            if i == last:
                gain, key, second = int(progress[i]), int(cost[i]), begin
            size = _extend(
                at, paid, begin, end, at, paid, second, end, gain, key, need, at, paid, size, bounds
            )  # fmt: skip
        else:
            # All but the last option make lists in the two halves of the spare room.
            # (A literal 0 would have `_extend` compiled again.)
            here, there = int(np.int64(0)), spare_at.shape[0] // 2
            m = _extend(
                at, paid, begin, end, at, paid, begin, end, progress[i], cost[i], need, spare_at,
                spare_paid, here, bounds,
            )  # fmt: skip
            for k in range(i + 1, last):
                m = _extend(
                    spare_at, spare_paid, here, m, at, paid, begin, end, progress[k], cost[k], need,
                    spare_at, spare_paid, there, bounds,
                )  # fmt: skip
                here, there = there, here
            size = _extend(
                spare_at, spare_paid, here, m, at, paid, begin, end, progress[last], cost[last],
                need, at, paid, size, bounds,
            )  # fmt: skip
        n += 1
        first[n + 1] = size
        if size == end:
            stop = n
    return _State(n, best, stop, cheaper, budget)


class _Bounds(NamedTuple):
    """What a label of progress p and key k keeps to.

    ``k < full``, ``p >= reach``, ``k <= cut``, and what `Guide` says of ``ahead``:
    ``(k << fine) >> shift <= ahead - (price * (need - p) >> bits)``.
    """

    full: int
    reach: int
    cut: int
    ahead: int
    price: int
    bits: int
    fine: int
    shift: int
    need: int


@kernel
def _extend(
    old_at: Ints,
    old_paid: Ints,
    i: int,
    m: int,
    at: Ints,
    paid: Ints,
    j: int,
    end: int,
    gain: int,
    key: int,
    need: int,
    new_at: Ints,
    new_paid: Ints,
    size: int,
    bounds: _Bounds,
) -> int:
    """Write undominated labels within the bounds into ``new_at[size:]``, ``new_paid[size:]``.

    They are those of ``old_at[i:m]`` and, with `gain` and `key` added, of ``at[j:end]``, as far as
    they lack progress. What a label out of bounds dominates is out of bounds as well. Returns the
    end of what is written.
    """
    lowest, reach, cut, ahead, price, bits, fine, shift, enough = bounds
    while i < m and old_at[i] >= need:
        i += 1
    while j < end and at[j] + gain >= need:
        j += 1
    p, c = (old_at[i], old_paid[i]) if i < m else (np.int64(-1), INF)
    q, d = (at[j] + gain, paid[j] + key) if j < end else (np.int64(-1), INF)
    while max(p, q) >= reach:
        if p > q or (p == q and c <= d):
            r, k = p, c
            i += 1
            p, c = (old_at[i], old_paid[i]) if i < m else (np.int64(-1), INF)
        else:
            r, k = q, d
            j += 1
            q, d = (at[j] + gain, paid[j] + key) if j < end else (np.int64(-1), INF)
        if k < lowest:
            lowest = int(k)
            if k <= cut and k << fine >> shift <= ahead - (price * (enough - r) >> bits):
                new_at[size], new_paid[size] = r, k
                size += 1
    return size


@kernel
def _read(at: Ints, paid: Ints, begin: int, end: int, p: int) -> int:
    """Least key of progress >= p among labels begin .. end - 1; 2**62 if there is none."""
    if p == 0:
        return 0
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if at[middle] >= p:
            low = middle + 1
        else:
            high = middle
    return int(paid[low - 1]) if low > begin else int(INF)


@kernel
def trace_labels(
    start: Ints,
    progress: Ints,
    cost: Ints,
    need: int,
    last: int,
    least: Ints,
    first: Ints,
    at: Ints,
    paid: Ints,
    choice: Ints,
) -> None:
    """Write the option taken in rounds 0 .. last (or -1) into `choice`, from `labels`."""
    p, target = need, least[last]
    for n in range(last, -1, -1):
        choice[n] = -1
        if p <= 0:
            continue
        if _read(at, paid, first[n], first[n + 1], p) == target:
            continue
        for i in range(start[n], start[n + 1]):
            q = max(np.int64(0), p - progress[i])
            before = _read(at, paid, first[n], first[n + 1], q)
            if before < INF and before + cost[i] == target:
                choice[n] = i
                p, target = q, before
                break


class Copies(NamedTuple):
    """Labels of every number of copies after each node of one round.

    Attributes
    ----------
    at, paid : (H + 1, B, most labels) int64
        ``at[h, b, :size[h, b]]`` is the progress of the labels of exactly b copies on the first h
        nodes, ``paid`` their key.
    size : (H + 1, B) int64
    loose : bool
        Whether the last number of copies means "that many or more".
    """

    at: Ints
    paid: Ints
    size: Ints
    loose: bool


@kernel
def _room_for_copies(nodes: int, max_copies: int, max_labels: int) -> Copies:
    """Return empty lists of labels; as many copies as nodes are no limit, so 2 stands for more."""
    loose = max_copies >= nodes
    most = min(max_copies, nodes)
    buckets = (min(most, 2) if loose else most) + 1
    shape = (nodes + 1, buckets, max_labels)
    count = np.zeros((nodes + 1, buckets), np.int64)
    return Copies(np.empty(shape, np.int64), np.empty(shape, np.int64), count, loose)


@kernel
def _fill_copies(progress: Ints, cost: Ints, need: int, copies: Copies) -> bool:
    """Fill the lists for one round; False if one of them overflows.

    `progress` is (L,), `cost` the (H, L) keys of a copy on each node at each level.
    """
    at, paid, count, loose = copies
    nodes, levels = cost.shape
    _, buckets, size = at.shape
    old_at = np.empty(size, np.int64)
    old_paid = np.empty(size, np.int64)
    new_at = np.empty(size, np.int64)
    new_paid = np.empty(size, np.int64)
    count[0, :] = 0
    count[0, 0] = 1
    at[0, 0, 0] = 0
    paid[0, 0, 0] = 0
    for h in range(nodes):
        for b in range(buckets):
            m = count[h, b]
            new_at[:m] = at[h, b, :m]
            new_paid[:m] = paid[h, b, :m]
            if b > 0:
                for i in range(levels):
                    if cost[h, i] >= INF:
                        continue
                    for k in (b - 1, b):
                        if k == b and not (loose and b == buckets - 1):
                            continue
                        old_at[:m] = new_at[:m]
                        old_paid[:m] = new_paid[:m]
                        m = merge(
                            old_at, old_paid, m, at[h, k], paid[h, k], count[h, k], progress[i],
                            cost[h, i], need, new_at, new_paid,
                        )  # fmt: skip
                        if m < 0:
                            return False
            at[h + 1, b, :m] = new_at[:m]
            paid[h + 1, b, :m] = new_paid[:m]
            count[h + 1, b] = m
    return True


@kernel
def forked(
    start: Ints,
    progress: Ints,
    cost: Ints,
    copy_progress: Ints,
    copy_cost: Ints,
    need: int,
    max_copies: int,
    max_labels: int,
) -> tuple[Ints, Ints, Ints, Ints, bool]:
    """Options of every round when a job runs as one gang or as 2 .. `max_copies` copies.

    Parameters
    ----------
    start, progress, cost
        The one-gang options of each round (`modes_pooled.undominated`).
    copy_progress : (L,) int64
        Progress (> 0) of one copy at each level, floored per copy and at the reduced round length.
    copy_cost : (T, H, L) int64
        Key of the cheapest copy on each node at each level (`modes_node.copies`); 2**62 if none.
    need : int
        Required progress; the progress of an option is capped there.
    max_copies : int
        Most copies in one round, >= 2.
    max_labels : int
        Most labels of one number of copies.

    Returns
    -------
    start, progress, cost : int64
        The undominated options of every round, by increasing progress.
    origin : int64
        Index of the one-gang option, or -1 for copies (their nodes: `forked_use`).
    complete : bool
        False when there were more than `max_labels` labels: the rest is then undefined.
    """
    rounds, nodes, _ = copy_cost.shape
    copies = _room_for_copies(nodes, max_copies, max_labels)
    at, paid, count, _ = copies
    buckets = count.shape[1]
    new_start = np.zeros(rounds + 1, np.int64)
    size = 0
    out_progress = np.empty(256, np.int64)
    out_cost = np.empty(256, np.int64)
    out_origin = np.empty(256, np.int64)
    for t in range(rounds):
        if not _fill_copies(copy_progress, copy_cost[t], need, copies):
            return new_start, out_progress, out_cost, out_origin, False
        total = start[t + 1] - start[t]
        for b in range(2, buckets):
            total += count[nodes, b]
        all_progress = np.empty(total, np.int64)
        all_cost = np.empty(total, np.int64)
        all_origin = np.empty(total, np.int64)
        m = 0
        for i in range(start[t], start[t + 1]):
            all_progress[m] = min(need, progress[i])
            all_cost[m] = cost[i]
            all_origin[m] = i
            m += 1
        for b in range(2, buckets):
            for k in range(count[nodes, b]):
                all_progress[m] = at[nodes, b, k]
                all_cost[m] = paid[nodes, b, k]
                all_origin[m] = -1
                m += 1
        if size + total > out_cost.shape[0]:
            room = 2 * (size + total)
            wider = np.empty((3, room), np.int64)
            wider[0, :size] = out_progress[:size]
            wider[1, :size] = out_cost[:size]
            wider[2, :size] = out_origin[:size]
            out_progress, out_cost, out_origin = wider[0], wider[1], wider[2]
        # By increasing cost, an option stays if it makes more progress than every cheaper one.
        order = np.argsort(all_cost, kind="mergesort")
        highest = np.int64(0)
        for k in range(total):
            i = order[k]
            if all_cost[i] < INF and all_progress[i] > highest:
                if size > new_start[t] and out_cost[size - 1] == all_cost[i]:
                    size -= 1
                highest = all_progress[i]
                out_progress[size] = all_progress[i]
                out_cost[size] = all_cost[i]
                out_origin[size] = all_origin[i]
                size += 1
        new_start[t + 1] = size
    return (
        new_start,
        out_progress[:size].copy(),
        out_cost[:size].copy(),
        out_origin[:size].copy(),
        True,
    )


@kernel
def forked_use(
    copy_progress: Ints,
    copy_cost: Ints,
    need: int,
    max_copies: int,
    max_labels: int,
    progress: int,
    cost: int,
) -> Ints:
    """Level of the copy on each node, (H,), or -1, for an option of `forked` in one round.

    `copy_cost` is the (H, L) slice of that round; (`progress`, `cost`) is the option. All -1 when
    no set of copies has exactly that progress and cost.
    """
    nodes, levels = copy_cost.shape
    copies = _room_for_copies(nodes, max_copies, max_labels)
    at, paid, count, loose = copies
    buckets = count.shape[1]
    level = np.full(nodes, -1, np.int64)
    if not _fill_copies(copy_progress, copy_cost, need, copies):
        return level
    b = -1
    for k in range(buckets - 1, 1, -1):
        if _holds(at[nodes, k], paid[nodes, k], count[nodes, k], progress, cost):
            b = k
    if b < 0:
        return level
    p, c = progress, cost
    for h in range(nodes - 1, -1, -1):
        if _holds(at[h, b], paid[h, b], count[h, b], p, c):
            continue
        found = False
        for i in range(levels):
            if found or copy_cost[h, i] >= INF:
                continue
            for k in (b - 1, b):
                if found or k < 0 or (k == b and not (loose and b == buckets - 1)):
                    continue
                for x in range(count[h, k]):
                    if (
                        min(need, at[h, k, x] + copy_progress[i]) == p
                        and paid[h, k, x] + copy_cost[h, i] == c
                    ):
                        level[h] = i
                        p, c, b = at[h, k, x], paid[h, k, x], k
                        found = True
                        break
    return level


@kernel
def _holds(at: Ints, paid: Ints, size: int, progress: int, cost: int) -> bool:
    """Whether the list has the label (progress, cost)."""
    k = 0
    while k < size and (at[k] != progress or paid[k] != cost):
        k += 1
    return k < size
