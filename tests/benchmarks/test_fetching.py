"""Traces that ``make paper`` fetches by itself, from a server on loopback."""

import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks.paper._fetching import Wanted, fetched, lacking, wanted
from benchmarks.paper._samples import ITP, PHILLY
from benchmarks.paper.hadar_simulation import settings_of, there
from benchmarks.paper.plan import planned
from hadaropt.traces import read_trace
from hadaropt.traces.fetch import PublicTrace

pytest.importorskip("pooch", reason="the extra 'traces' is not installed")

SUBMITS = (
    "2017-10-08 23:59:59",
    "2017-10-09 00:00:00",
    "2017-10-20 12:00:00",
    "2017-10-30 00:00:00",
)


def record(i, submit):
    day = submit[:10]
    attempt = {
        "start_time": f"{day} 23:59:59",
        "end_time": f"{day} 23:59:59".replace("2017-10", "2017-11"),
        "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}],
    }
    return {"status": "Pass", "vc": "v", "jobid": f"j{i}", "user": "u", "submitted_time": submit,
            "attempts": [attempt]}  # fmt: skip


@pytest.fixture
def serve(monkeypatch):
    """Return a function that publishes a file and returns its entry."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    files: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format, *args):
            """Keep the test output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def publish(name, content, member=None):
        if content is not None:
            files[f"/{name}"] = content
        digest = hashlib.sha256(content or b"").hexdigest()
        url = f"http://127.0.0.1:{server.server_port}/{name}"
        return PublicTrace(name, f"Trace {name}", "CC-BY-4.0", url, digest, name, member)

    yield publish
    server.shutdown()
    thread.join()
    server.server_close()


def packed(text):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        member = tarfile.TarInfo("cluster_job_log")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def test_three_weeks_of_philly_and_all_of_itp_are_where_experiments_look(serve, tmp_path):
    log = json.dumps([record(i, submit) for i, submit in enumerate(SUBMITS)])
    itp = b"job_id,submission_time,duration,num_gpu\r\na,1,2,3\r\n"
    philly = serve("philly", packed(log), "cluster_job_log")
    first = wanted()[0].first
    files = [Wanted(PHILLY, philly, first), Wanted(ITP, serve("itp.csv", itp))]
    said = []
    given = {"files": files, "timeout": 5.0, "directory": tmp_path / "cache"}
    folder = fetched(tmp_path / "out", said.append, **given)
    assert folder == tmp_path / "out" / "data"
    trace = read_trace(folder / "traces" / f"{PHILLY}.csv")
    assert [job.name for job in trace.jobs] == ["j1", "j2"]
    assert [job.submit_seconds for job in trace.jobs] == [0, 11 * 86400 + 43200]
    assert {job.num_gpus for job in trace.jobs} == {2}
    assert trace.jobs[0].duration_seconds == 31 * 86400
    assert len(read_trace(folder / "traces" / f"{ITP}.csv").jobs) == 1
    assert set(there(settings_of(False, 96, "V100=1"), folder)) == set(
        settings_of(False, 96, "V100=1")
    )
    assert said[0].startswith("fetching Trace philly, CC-BY-4.0, http://127.0.0.1")
    assert "fetched: 2 jobs" in said[1]
    again = []
    assert fetched(tmp_path / "out", again.append, **given) == folder
    assert all("fetched before" in text for text in again)


def test_what_cannot_be_fetched_is_said_and_the_rest_goes_on(serve, tmp_path):
    absent = serve("absent.csv", None)
    itp = b"job_id,submission_time,duration,num_gpu\r\na,1,2,3\r\n"
    said = []
    given = {"timeout": 5.0, "directory": tmp_path / "cache"}
    files = [Wanted(PHILLY, absent)]
    assert fetched(tmp_path / "out", said.append, files=files, **given) is None
    assert "not fetched: " in said[1] and "the server answers 404" in said[1]
    files = [Wanted(ITP, serve("itp.csv", itp)), Wanted(PHILLY, absent)]
    assert fetched(tmp_path / "out", said.append, files=files, **given) is not None
    assert "404" in said[-1]


def test_nothing_is_fetched_where_there_are_data_or_none_are_needed(monkeypatch, tmp_path):
    needs, none = planned("hadar_simulation"), planned("speed_estimate")
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path / "nowhere"))
    assert lacking([none, needs])
    assert not lacking([none])
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path))
    assert not lacking([needs])
