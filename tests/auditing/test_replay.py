"""The rules against a plain simulation that looks at every job at every event."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.auditing.floor import floors, least_present, replays
from hadaropt.auditing.replay import RULES, replay


def plainly(jobs, gpus):
    """`preemptive`, with all that runs sorted anew by what it has left."""
    left, pieces, running = [p for _, p, _ in jobs], [[] for _ in jobs], {}
    waiting: set[int] = set()
    to_come = sorted(range(len(jobs)), key=lambda j: jobs[j][0])
    now = 0

    def stop(j):
        start = running.pop(j)
        if now > start:
            pieces[j].append((start, now))
            left[j] -= now - start

    while to_come or running:
        ends = [start + left[j] for j, start in running.items()]
        now = min(ends + [jobs[j][0] for j in to_come[:1]])
        for j in [j for j, start in running.items() if start + left[j] == now]:
            stop(j)
        while to_come and jobs[to_come[0]][0] <= now:
            j = to_come.pop(0)
            if left[j]:
                waiting.add(j)
            else:
                pieces[j].append((now, now))
        while True:
            free = gpus - sum(jobs[j][2] for j in running)
            heads = {}
            for j in sorted(waiting, key=lambda j: (left[j] * jobs[j][2], j)):
                heads.setdefault(jobs[j][2], j)
            found = None
            for j in sorted(heads.values(), key=lambda j: (left[j] * jobs[j][2], j, jobs[j][2])):
                if jobs[j][2] <= free:
                    found = j, []
                    break
                room, chosen = free, []
                rest = [((left[k] - now + s) * jobs[k][2], k) for k, s in running.items()]
                for most, k in sorted(rest, key=lambda pair: (-pair[0], pair[1])):
                    if room < jobs[j][2] and most > left[j] * jobs[j][2]:
                        room += jobs[k][2]
                        chosen.append(k)
                if room >= jobs[j][2]:
                    found = j, chosen
                    break
            if found is None:
                break
            for k in found[1]:
                stop(k)
                waiting.add(k)
            waiting.remove(found[0])
            running[found[0]] = now
    return pieces


jobs = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=10
)


@given(jobs, st.integers(4, 7))
@settings(deadline=None, max_examples=60)
def test_preemption_pauses_what_has_most_left(drawn, gpus):
    assert replay(drawn, gpus, "preemptive") == plainly(drawn, gpus)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rule", RULES)
def test_replayed_schedules_are_feasible_and_not_below_the_bounds(rule: str, seed: int) -> None:
    draw = random.Random(seed)
    gpus = draw.choice([1, 4, 7])
    jobs = [(draw.randint(0, 300), draw.randint(0, 40), draw.randint(1, gpus)) for _ in range(40)]
    pieces = replay(jobs, gpus, rule)  # type: ignore[arg-type]
    changes: dict[int, int] = {}
    for (release, service, gang), runs in zip(jobs, pieces, strict=True):
        assert sum(end - start for start, end in runs) == service
        assert runs[0][0] >= release
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(runs))
        assert rule == "preemptive" or len(runs) == 1
        for start, end in runs:
            changes[start] = changes.get(start, 0) + gang
            changes[end] = changes.get(end, 0) - gang
    held = 0
    for time in sorted(changes):
        held += changes[time]
        assert held <= gpus
    ends = [runs[-1][1] for runs in pieces]
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": gpus}, 1, replays(own, {"G": gpus}), steps=15)
    assert floor["G"].completions <= sum(ends)
    assert floor["G"].last <= max(ends)
    if rule != "preemptive":
        assert floor["G"].in_one_piece <= sum(ends)
    times, least = least_present(floor, own)
    for time, count in zip(times, least, strict=True):
        there = sum(job[0] <= time < end for job, end in zip(jobs, ends, strict=True))
        assert count <= there
