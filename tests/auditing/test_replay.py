"""The rules against a plain simulation that looks at every job at every event."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.auditing.replay import replay


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
