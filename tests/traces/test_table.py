"""Tables of text."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace


@pytest.mark.parametrize(
    ("raw", "name", "message"),
    [
        (b"job_id,\xff\n", "t.csv", "t.csv, must be UTF-8, byte 7 is not"),
        (b"\x1f\x8b\x08\x00", "t.csv.gz", "t.csv.gz, is a damaged gzip file"),
        (b"not gzip", "t.csv.gz", "t.csv.gz, is a damaged gzip file"),
    ],
)
def test_bytes_that_are_no_text(tmp_path: Path, raw: bytes, name: str, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    assert message in str(caught.value)
