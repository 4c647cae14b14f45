"""The core of one round: the options that some optimal choice may take, at given prices."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]


@kernel
def round_payoffs(gang: Ints, worth: Ints, mixing: bool, price: Ints) -> Ints:
    """Return the worth of each level less its gang's cheapest cost, shape (J, R).

    Parameters
    ----------
    gang : (J,) int64
    worth : (J, R) int64
        Worth when r is the slowest type used; 0: r is not open to the job, and its payoff is
        -2**62.
    mixing : bool
        Whether a gang may mix types.
    price : (R,) int64
        Of one GPU.
    """
    jobs, types = worth.shape
    payoff = np.full((jobs, types), -(2**62), np.int64)
    for j in range(jobs):
        for level in range(types):
            if worth[j, level] <= 0:
                continue
            cheapest = price[level]
            if mixing:
                for r in range(types):
                    if worth[j, r] >= worth[j, level]:
                        cheapest = min(cheapest, price[r])
            payoff[j, level] = worth[j, level] - gang[j] * cheapest
    return payoff


@kernel
def needed_jobs(members: Indices, total: int, gang: Ints, worth: Ints) -> Indices:
    """Return the jobs that an optimum needs, ascending.

    Of the jobs with gang W at most K = total / W run. If one of them takes an option for which K
    jobs of that gang are worth at least as much, one of those does not run and can take its place.

    Parameters
    ----------
    members : (M,) intp
        The jobs that come into question, ascending.
    total : int
        GPUs of all types together.
    gang : (J,) int64
    worth : (J, R) int64
        As in `round_payoffs`.
    """
    jobs, types = worth.shape
    kept = np.zeros(jobs, np.bool_)
    asked = np.zeros(jobs, np.bool_)
    for first in range(len(members)):
        if asked[members[first]]:
            continue
        size = gang[members[first]]
        own = members[first:][gang[members[first:]] == size]
        asked[own] = True
        most = total // size
        if len(own) <= most:
            kept[own] = True
            continue
        pay = np.empty(len(own), np.int64)
        for used in range(1, 2**types):
            for i in range(len(own)):
                pay[i] = 2**62
                for r in range(types):
                    if used >> r & 1:
                        pay[i] = min(pay[i], worth[own[i], r])
            for i in np.argsort(-pay, kind="mergesort")[:most]:
                kept[own[i]] = True
    return np.flatnonzero(kept)


@kernel
def core_options(
    members: Indices,
    worth: Ints,
    payoff: Ints,
    price: Ints,
    allowed: int,
    option: Ints,
    first: Ints,
    last: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the options whose loss is at most ``allowed``.

    Parameters
    ----------
    members : (M,) intp
        Jobs, ascending.
    worth : (J, R) int64
        As in `round_payoffs`.
    payoff : (J,) int64
        The best payoff of each job, >= 0.
    price : (R,) int64
    allowed : int
    option : (K, R) int64
        Divisions of gangs over the types.
    first, last : (M,) int64
        Options first[i] <= k < last[i] divide the gang of member i.

    Returns
    -------
    fixed, fixed_option : (F,) int64
        Jobs that cannot be skipped and have one option, and this one.
    open_jobs : (P,) int64
        The other jobs with an option.
    end : (P,) int64
        Where the options of each end in ``kept``; they begin where those of the one before end.
    kept : (N,) int64
    """
    types = worth.shape[1]
    cost = np.zeros(len(option), np.int64)
    for k in range(len(option)):
        for r in range(types):
            cost[k] += option[k, r] * price[r]
    fixed = np.empty(len(members), np.int64)
    fixed_option = np.empty(len(members), np.int64)
    open_jobs = np.empty(len(members), np.int64)
    end = np.empty(len(members), np.int64)
    kept = np.empty((last - first).sum(), np.int64)
    settled = opened = count = 0
    for i in range(len(members)):
        j = members[i]
        begin = count
        for k in range(first[i], last[i]):
            pay = np.int64(2**62)
            for r in range(types):
                if option[k, r] > 0:
                    pay = min(pay, worth[j, r])
            if pay > 0 and payoff[j] - (pay - cost[k]) <= allowed:
                kept[count] = k
                count += 1
        if count == begin + 1 and payoff[j] > allowed:
            fixed[settled], fixed_option[settled] = j, kept[begin]
            settled += 1
            count = begin
        elif count > begin:
            open_jobs[opened], end[opened] = j, count
            opened += 1
    return (
        fixed[:settled],
        fixed_option[:settled],
        open_jobs[:opened],
        end[:opened],
        kept[:count],
    )
