"""The recorded schedule of a trace beside the policies, against a bound of its own."""

from __future__ import annotations

from fractions import Fraction

from tests.bench.ratio.test_trace import TRACE, bench


def test_the_recorded_schedule_stands_beside_the_policies(capsys, tmp_path):
    log = tmp_path / "log.txt"
    head = "JobID|User|Partition|Submit|Start|End|Elapsed|State|AllocTRES|ReqTRES"
    rows = [
        f"{i}|u|p|2024-01-01T0{a}:00:00|2024-01-01T0{s}:00:00|2024-01-01T0{e}:00:00|"
        f"0{e - s}:00:00|COMPLETED|gres/gpu:v100=2|"
        for i, (a, s, e) in enumerate(((0, 0, 4), (0, 4, 5), (1, 5, 7)))
    ]
    log.write_text("\n".join([head, *rows]) + "\n")
    code, document = bench(capsys, f"--trace={log}", "--policies=fifo,recorded", "--workers=1")
    assert code == 0, document
    own = document["recorded"]
    assert [cell["jobs"] for cell in own] == ["whole", "without jobs over 24 h"]
    for cell in own:
        value, best, bound = (Fraction(cell[name]) for name in ("value", "best", "bound"))
        assert 0 < value < best <= bound  # short first is better
        assert (cell["count"], cell["pools"]) == (3, {"v100": 2})
    file = tmp_path / "small.csv"
    file.write_text(TRACE)
    code, refused = bench(capsys, f"--trace={file}", "--policies=fifo,recorded", "--workers=1")
    assert code == 4
    assert "has no starts and ends" in refused["error"]["message"]
    code, refused = bench(capsys, f"--trace={file}", "--policies=recorded")
    assert code == 2
    assert "must name a policy beside it" in refused["error"]["message"]
