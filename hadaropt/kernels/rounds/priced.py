"""Take or skip in one round, on pooled GPUs at prices that rise with use: a dynamic program.

A state is the vector of GPUs in use of each type, as a number with one digit for each type in the
base capacity + 1. The states that differ in the last digit alone are a row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

NEVER = np.int64(2**62)
"""The price of a GPU that is not there."""


@kernel
def _row_digits(capacity: Ints) -> tuple[Ints, Ints]:
    """Return the digits of every row, (rows, R - 1), and the weight of each digit, (R,)."""
    types = capacity.shape[0]
    weight = np.ones(types, np.int64)
    for r in range(types - 2, -1, -1):
        weight[r] = weight[r + 1] * (capacity[r + 1] + 1)
    width = capacity[types - 1] + 1
    rows = weight[0] * (capacity[0] + 1) // width
    digits = np.zeros((rows, types - 1), np.int64)
    for row in range(1, rows):
        r = types - 2
        digits[row] = digits[row - 1]
        while digits[row, r] == capacity[r]:
            digits[row, r] = 0
            r -= 1
        digits[row, r] += 1
    return digits, weight


@kernel
def _offer_gang(
    reached: int,
    gang: int,
    worth: Ints,
    admits: Flags,
    order: Ints,
    left: Ints,
    dear: Ints,
    weight: Ints,
    last_price: Ints,
    payoff: Ints,
    shift: Ints,
) -> None:
    """Fill in the best offers to a gang in a row: by level, filled cheapest type first.

    ``order``, ``left`` and ``dear`` hold the types but the last, cheapest first; the last one,
    whose price rises along the row, goes behind those that cost the same.
    """
    others = order.shape[0]
    last = others
    payoff[: reached + 1] = 0
    for i in range(worth.shape[0]):
        place = 0  # so many others are filled before the last type
        before = np.int64(gang)  # the need when its turn comes, and what was paid for the rest
        paid = jumped = np.int64(0)
        done = 0
        for g in range(reached + 1):
            while place < others and (dear[place] <= last_price[g] or not admits[i, last]):
                if admits[i, order[place]]:
                    part = min(before, left[place])
                    before -= part
                    paid += part * dear[place]
                    jumped += part * weight[order[place]]
                place += 1
            if before == 0 or not admits[i, last]:
                break  # the rest of the row pays the same
            done = g + 1
            part = min(before, last_price.shape[0] - 1 - g)
            need = before - part
            cost = paid + part * last_price[g]
            jump = jumped + part
            for k in range(place, others):
                if need == 0:
                    break
                if admits[i, order[k]]:
                    part = min(need, left[k])
                    need -= part
                    cost += part * dear[k]
                    jump += part * weight[order[k]]
            if need == 0 and worth[i] - cost > payoff[g]:
                payoff[g] = worth[i] - cost
                shift[g] = jump
        if before == 0:
            for g in range(done, reached + 1):
                if worth[i] - paid > payoff[g]:
                    payoff[g] = worth[i] - paid
                    shift[g] = jumped


@kernel
def priced_round(
    capacity: Ints, gang: Ints, worth: Ints, gain: Ints, price: Ints, mixing: bool
) -> tuple[Ints, np.int64]:
    """Take or skip each job in turn, at prices that rise with use, for the largest total payoff.

    In every state that the jobs before can lead to, a job is offered its best allocation at the
    prices of that state: for each slowest type, the gang filled cheapest first among the types
    that are at least as fast. Its payoff is its worth minus what its GPUs cost.

    Parameters
    ----------
    capacity : (R,) int64
    gang : (J,) int64
    worth : (J, R) int64
        As in `hadaropt.kernels.rounds.knapsack.exact_round`.
    gain : (J, R) int64
        Iterations of a round when r is the slowest type.
    price : (R, max(capacity) + 1) int64
        Price of one GPU of each type by the number in use, not falling.
    mixing : bool
        Whether a gang may mix types.

    Returns
    -------
    taken : (J, R) int64
        GPUs of each type for each job, all 0 for a job that is skipped.
    total : int64
        The payoffs together.
    """
    jobs, types = worth.shape
    last = types - 1
    digits, weight = _row_digits(capacity)
    rows = digits.shape[0]
    width = capacity[last] + 1
    best = np.full(rows * width, -1, np.int64)
    best[0] = 0
    came = np.empty((jobs, rows * width), np.int32)  # only the rows that are reached are filled in
    asked = np.zeros(jobs, np.bool_)
    reach = np.full(rows, -1, np.int64)  # the largest last digit with a state that can be reached
    reach[0] = 0
    top = 0  # no row above it is reached
    last_price = price[last, :width].copy()
    last_price[capacity[last]] = NEVER
    open_worth = np.empty(types, np.int64)
    admits = np.empty((types, types), np.bool_)
    order = np.empty(last, np.int64)
    left = np.empty(last, np.int64)
    dear = np.empty(last, np.int64)
    on_last = np.empty(width, np.int64)  # payoff of a gang of one on the last type
    payoff = np.empty(width, np.int64)
    shift = np.zeros(width, np.int64)
    for j in range(jobs):
        levels = 0
        for r in range(types):
            if worth[j, r] > 0:
                open_worth[levels] = worth[j, r]
                for q in range(types):
                    admits[levels, q] = gain[j, q] >= gain[j, r] if mixing else q == r
                levels += 1
        if levels == 0:
            continue
        asked[j] = True
        own = open_worth[:levels]
        enough = -(-own.max() // gang[j])
        last_level = levels
        for i in range(levels):
            if admits[i, last] and (last_level == levels or own[i] > own[last_level]):
                last_level = i
        for g in range(width):
            on_last[g] = own[last_level] - last_price[g] if last_level < levels else 0
        # Downwards: a state is improved only after it was asked itself.
        for row in range(top, -1, -1):
            reached = reach[row]
            if reached < 0:
                continue
            begin = row * width
            came[j, begin : begin + width] = -1
            for r in range(last):
                cost = price[r, digits[row, r]] if digits[row, r] < capacity[r] else NEVER
                k = r
                while k > 0 and dear[k - 1] > cost:
                    order[k], left[k], dear[k] = order[k - 1], left[k - 1], dear[k - 1]
                    k -= 1
                order[k], left[k], dear[k] = r, capacity[r] - digits[row, r], cost
            if min(dear[0] if last else NEVER, last_price[0]) >= enough:
                continue  # no GPU is cheaper
            if gang[j] == 1:
                # The last type pays less and less along the row, the best of the others the same.
                other = np.int64(0)
                other_level = levels
                jump = np.int64(0)
                for i in range(levels):
                    for k in range(last):
                        if admits[i, order[k]]:
                            if own[i] - dear[k] > other:
                                other, other_level = own[i] - dear[k], i
                                jump = weight[order[k]]
                            break
                for g in range(reached + 1):
                    use_last = on_last[g] > other or (
                        on_last[g] == other and last_level < other_level
                    )
                    payoff[g] = on_last[g] if use_last else other
                    shift[g] = 1 if use_last else jump
            else:
                _offer_gang(
                    reached, gang[j], own, admits, order, left, dear, weight, last_price,
                    payoff, shift,
                )  # fmt: skip
            for g in range(reached, -1, -1):
                if payoff[g] <= 0 or best[begin + g] < 0:
                    continue
                s = begin + g
                after = s + shift[g]
                total = best[s] + payoff[g]
                if best[after] < 0:
                    target = after // width
                    if reach[target] < 0:
                        came[j, target * width : (target + 1) * width] = -1
                        top = max(top, target)
                    reach[target] = max(reach[target], after - target * width)
                # Of equals that take the job the lowest state, but skipping it first.
                if total > best[after] or (total == best[after] and came[j, after] >= 0):
                    best[after] = total
                    came[j, after] = s
    end = np.argmax(best)
    most = best[end]
    taken = np.zeros((jobs, types), np.int64)
    for j in range(jobs - 1, -1, -1):
        if not asked[j]:
            continue
        before = came[j, end]
        if before >= 0:
            a, b = end // width, before // width
            for r in range(last):
                taken[j, r] = digits[a, r] - digits[b, r]
            taken[j, last] = (end - a * width) - (before - b * width)
            end = np.int64(before)
    return taken, most
