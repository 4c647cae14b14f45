"""Files that are no trace at all are named for what they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace
from hadaropt.traces.throughputs import read_throughputs

CSV = b"job_id,submission_time,duration,num_gpu\na,1,2,3\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12345\n"
PAGE = b"\xef\xbb\xbf\n <!DOCTYPE html>\n<html><body>Sign in</body></html>"


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("t.csv", CSV)
    return out.getvalue()


def _tar(form: int = tarfile.USTAR_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        member = tarfile.TarInfo("t.csv")
        member.size = len(CSV)
        archive.addfile(member, io.BytesIO(CSV))
    return out.getvalue()


def _old_tar() -> bytes:
    """Return a tar as of 1979, without signature."""
    raw = bytearray(_tar())
    raw[257:265] = bytes(8)
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return bytes(raw)


@pytest.mark.parametrize(
    ("raw", "phrase"),
    [
        (POINTER, "is a Git LFS pointer and not the file itself"),
        (b"/annex/objects/MD5E-s1--x.csv\n", "is a git-annex pointer"),
        (PAGE, "is an HTML page"),
        (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "is an XML document"),
        (b"404: Not Found", "is the answer to a download that failed"),
        (_zip(), "is a zip archive"),
        (_tar(), "is a tar archive"),
        (_tar(tarfile.PAX_FORMAT), "is a tar archive"),
        (_old_tar(), "is a tar archive"),
        (gzip.compress(_tar(), mtime=0), "is a tar archive"),
        (gzip.compress(gzip.compress(CSV, mtime=0), mtime=0), "is a gzip file within a gzip file"),
        (gzip.compress(PAGE, mtime=0), "is an HTML page"),
        (bz2.compress(CSV), "is a bzip2 file"),
        (lzma.compress(CSV), "is an xz file"),
        (CSV.decode().encode("utf-16"), "is UTF-16 text"),
        (CSV.decode().encode("utf-32"), "is UTF-32 text"),
        (CSV.decode().encode("utf-16-le"), "is no text: byte 1 is zero"),
        (CSV + bytes(20), "is no text: byte 48 is zero"),
        (b"PAR1" + bytes(9), "is a Parquet file"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.swf", "t.json"])
def test_a_file_that_is_no_trace_is_named(
    tmp_path: Path, raw: bytes, phrase: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    assert str(caught.value).startswith(f"{name}, {phrase}")
    with pytest.raises(TraceError, match=phrase.partition(" (")[0]):
        read_throughputs(path)


def test_gzip_is_told_by_its_bytes_and_not_by_the_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(CSV))
    assert len(read_trace(path).jobs) == 1


def test_every_truncation_of_a_gzip_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(CSV)
    path = tmp_path / "t.csv.gz"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(TraceError, match=r"is (empty|a damaged gzip file)"):
            read_trace(path)


def test_a_latin_1_name_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CSV + b"\xe9,1,2,3\n")
    with pytest.raises(TraceError, match=r"must be UTF-8, byte 48 is not \(line 3\)"):
        read_trace(path)
    path.write_bytes(b"; fine\n1 \xe9\n")
    with pytest.raises(TraceError, match=r"byte 9 is not \(line 2\)"):
        read_trace(path)


@pytest.mark.parametrize("text", [",,,\n", '""\n', "\t\t\n", '","\n,,\n'])
def test_a_file_of_separators_alone_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(TraceError, match=r"^t\.csv, "):
        read_trace(path)


def test_lines_of_separators_before_the_header_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b',,,\n"",,\n' + CSV)
    assert (read_trace(path).rows, len(read_trace(path).jobs)) == (1, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_header_alone_is_a_trace_without_jobs(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("job_id,submission_time,duration,num_gpu" + end, newline="")
    trace = read_trace(path)
    assert (trace.rows, trace.jobs, dict(trace.dropped)) == (0, (), {})


@pytest.mark.parametrize("time", ["0001-01-01 00:00:00+23:59", "9999-12-31 23:59:59-12:00"])
def test_a_time_beyond_the_calendar_is_an_error_with_its_place(tmp_path: Path, time: str) -> None:
    path = tmp_path / "t.csv"
    header = (
        "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
        "duration,queue,gpu_time\n"
    )
    path.write_text(f"{header}a,u,1,8,1,T,OK,{time},{time},{time},9,0,0\n")
    with pytest.raises(TraceError, match=r"line 2: submit_time = .* years 1 to 9999"):
        read_trace(path)


@pytest.mark.parametrize("number", ["1e400", "-1e101", "1e-400", "9" * 102])
def test_a_number_that_no_double_could_show_is_an_error_with_its_place(
    tmp_path: Path, number: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CSV + f"b,{number},5,1\n".encode())
    with pytest.raises(TraceError, match=r"line 3: submission_time = .* between 1e-100 and 1e100"):
        read_trace(path)
