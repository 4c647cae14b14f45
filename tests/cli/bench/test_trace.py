"""``hadaropt bench ratio --trace``: what it is told; its sweep is tested in tests/bench/ratio."""

from __future__ import annotations

import pytest

ROWS = "job_id,submit_s,num_gpus,gpu_type,duration_s,status\na,0,1,,5400,PASS\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--round-seconds=0",), "--round-seconds 0: must be >= 1"),
        (("--policies=fifi",), "did you mean fifo?"),
        (("--policies=primal_dual:zero_start[calibrated=bounds]",), "an earlier instance is not"),
        (("--baseline=fifo",), "--baseline fifo: is not for --trace"),
        (("--workers=0",), "--workers 0: must be >= 1"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(bench, tmp_path, options, said):
    file, out = tmp_path / "t.csv", tmp_path / "out"
    file.write_text(ROWS)
    code, document, _ = bench("ratio", f"--trace={file}", f"--out={out}", *options)
    assert code == 2 and said in document["error"]["message"]
    assert not out.exists()


def test_a_file_that_is_no_trace_is_bad_input(bench, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n")
    code, document, _ = bench("ratio", f"--trace={file}", "--workers=1")
    assert code == 4 and "fit no format" in document["error"]["message"]
    code, document, _ = bench("ratio", f"--trace={tmp_path / 'absent.csv'}", "--workers=1")
    assert code == 4 and "absent.csv" in document["error"]["message"]
