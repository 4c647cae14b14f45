"""Downloading, against a server on loopback; nothing here needs a network."""

from __future__ import annotations

import hashlib
import io
import re
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hadaropt.errors import MissingExtraError, TraceError
from hadaropt.traces import read_trace
from hadaropt.traces.fetch import PUBLIC_TRACES, PublicTrace, fetch_trace, public_trace

pytest.importorskip("pooch", reason="the extra 'traces' is not installed")

CSV = b"job_id,submission_time,duration,num_gpu\r\na,1,2,3\r\n"


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _tar(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


class _Server:
    """Serves `files` and counts the requests."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests += 1
                content = outer.files.get(self.path.replace("/short", ""))
                self.send_response(404 if content is None else 200)
                cut = 100 if "/short/" in self.path else 0
                self.send_header("Content-Length", str(len(content or b"") + cut))
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, format: str, *args: object) -> None:
                """Keep the test output quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def entry(self, content: bytes, name: str = "t.csv") -> PublicTrace:
        self.files[f"/{name}"] = content
        return PublicTrace("test", "test", "-", f"{self.url}/{name}", _sha(content), name)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = _Server()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_download_once_and_read(server: _Server, tmp_path: Path) -> None:
    entry = server.entry(CSV)
    path = fetch_trace(entry, directory=tmp_path)
    assert path.read_bytes() == CSV
    assert read_trace(path).jobs[0].num_gpus == 3
    assert fetch_trace(entry, directory=tmp_path) == path
    assert server.requests == 1


def test_what_comes_with_another_checksum_is_not_kept(server: _Server, tmp_path: Path) -> None:
    entry = replace(server.entry(CSV), sha256=_sha(b"something else"))
    with pytest.raises(TraceError, match=r"trace test, came with another SHA-256"):
        fetch_trace(entry, directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_copy_is_downloaded_again(server: _Server, tmp_path: Path) -> None:
    entry = server.entry(CSV)
    (tmp_path / "t.csv").write_bytes(CSV[:-5])
    assert fetch_trace(entry, directory=tmp_path).read_bytes() == CSV


def test_member_of_an_archive(server: _Server, tmp_path: Path) -> None:
    entry = replace(
        server.entry(_tar("inner.csv", CSV), "t.tar.gz"),
        member="inner.csv",
        member_sha256=_sha(CSV),
    )
    path = fetch_trace(entry, directory=tmp_path)
    assert (path.name, path.read_bytes()) == ("inner.csv", CSV)
    path.write_bytes(CSV + b"b,1,2,3\r\n")
    with pytest.raises(TraceError, match=r"inner\.csv, must have SHA-256"):
        fetch_trace(entry, directory=tmp_path)


def test_a_member_is_known_by_its_checksum_or_else_by_its_name(
    server: _Server, tmp_path: Path
) -> None:
    packed = _tar("deep/below/c06.csv", CSV)
    own = replace(server.entry(packed, "t.tar.gz"), sha256=None, member="itp.csv")
    by_checksum = replace(own, member_sha256=_sha(CSV))
    path = fetch_trace(by_checksum, directory=tmp_path)
    assert (path.name, path.read_bytes()) == ("itp.csv", CSV)
    assert fetch_trace(by_checksum, directory=tmp_path) == path
    assert server.requests == 1
    by_name = replace(own, sha256=_sha(packed), member="c06.csv")
    assert fetch_trace(by_name, directory=tmp_path).read_bytes() == CSV
    with pytest.raises(TraceError, match=r"has no file of SHA-256 .* \(it has deep/below/c06"):
        fetch_trace(
            replace(by_checksum, member="no.csv", member_sha256="0" * 64), directory=tmp_path
        )


def test_a_bad_archive_is_downloaded_again(server: _Server, tmp_path: Path) -> None:
    packed = _tar("c06.csv", CSV)
    entry = replace(server.entry(packed[:60], "t.tar.gz"), sha256=None, member="c06.csv")
    entry = replace(entry, member_sha256=_sha(CSV))
    with pytest.raises(TraceError, match=r"moved to t\.tar\.gz\.rejected"):
        fetch_trace(entry, directory=tmp_path)
    server.entry(packed, "t.tar.gz")
    assert fetch_trace(entry, directory=tmp_path).read_bytes() == CSV
    assert server.requests == 2


def test_what_is_unpacked_by_name_is_checked_again(server: _Server, tmp_path: Path) -> None:
    entry = replace(server.entry(_tar("log.json", CSV), "t.tar.gz"), member="log.json")
    path = fetch_trace(entry, directory=tmp_path)
    assert fetch_trace(entry, directory=tmp_path) == path
    path.write_bytes(CSV[:-5])
    with pytest.raises(TraceError, match=rf"log\.json, must have SHA-256 {_sha(CSV)}; delete it"):
        fetch_trace(entry, directory=tmp_path)


def test_the_reason_of_a_failed_download_is_given(server: _Server, tmp_path: Path) -> None:
    entry = server.entry(CSV)
    for url, reason in (
        (f"{server.url}/nowhere", r"http://127.*\(the server answers 404 Not Found\)"),
        (f"{server.url}/short/t.csv", r"Error: what came is cut short or damaged\)"),
        ("nonsense", r"nonsense \(.*must be an address that begins with http:// or https://"),
        ("ftp://127.0.0.1/t", r"\(.*must be an address that begins with http:// or https://"),
    ):
        with pytest.raises(TraceError, match=rf"cannot be downloaded .*{reason}"):
            fetch_trace(replace(entry, url=url), directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_the_file_is_named(server: _Server, tmp_path: Path) -> None:
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(IsADirectoryError) as bad:
        fetch_trace(server.entry(CSV), directory=tmp_path)
    assert bad.value.filename == str(tmp_path / "t.csv")
    assert server.requests == 0


def test_offline_the_message_says_what_to_do(server: _Server, tmp_path: Path) -> None:
    entry = server.entry(CSV)
    server.server.shutdown()
    server.server.server_close()
    with pytest.raises(TraceError) as caught:
        fetch_trace(entry, directory=tmp_path)
    message = str(caught.value)
    assert f"cannot be downloaded from {entry.url} (ConnectionError: no network?)" in message
    assert f"a file of SHA-256 {_sha(CSV)} put at {tmp_path / 't.csv'} is used instead" in message
    (tmp_path / "t.csv").write_bytes(CSV)
    assert fetch_trace(entry, directory=tmp_path).read_bytes() == CSV


def test_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(
        TraceError, match=r'"phily", did you mean "philly"\? It must be one of phil'
    ):
        fetch_trace("phily", directory=tmp_path)


def test_without_pooch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hadaropt\[traces\]'"):
        fetch_trace("muri-1")


def test_catalogue_is_pinned() -> None:
    assert len({entry.name for entry in PUBLIC_TRACES}) == len(PUBLIC_TRACES)
    files = {(entry.file_name, entry.url) for entry in PUBLIC_TRACES}
    assert len(files) == len({name for name, _ in files}) == len({url for _, url in files})
    for entry in PUBLIC_TRACES:
        assert re.fullmatch(r"[0-9a-f]{64}", entry.checksum)
        assert entry.url.startswith("https://")
        if "githubusercontent" in entry.url:
            assert re.search(r"/[0-9a-f]{40}/", entry.url)
        assert entry.sha256 is not None or entry.member is not None
        assert public_trace(entry.name) is entry


def test_checksums_are_those_of_the_files_at_hand(data: Path) -> None:
    seen = 0
    for entry in PUBLIC_TRACES:
        path = data / "raw" / (entry.member or entry.file_name)
        if path.exists() and entry.name != "pai-2020":  # of that an excerpt is at hand
            assert _sha(path.read_bytes()) == entry.checksum
            seen += 1
    assert seen == 8


def test_a_folder_that_cannot_be_made_is_named(server: _Server, tmp_path: Path) -> None:
    entry = server.entry(CSV)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as bad:
        fetch_trace(entry, directory=tmp_path / "file")
    assert bad.value.filename == str(tmp_path / "file")
    with pytest.raises(OSError) as bad_root:
        fetch_trace(entry, directory="/proc/nope")
    assert str(bad_root.value.filename).startswith("/proc/nope")
    assert server.requests == 0
