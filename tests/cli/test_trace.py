import hashlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from hadaropt.traces import fetch

ROWS = "job_id,submission_time,duration,num_gpu\na,0,100,1\nb,100,50,9\nc,100,0,1\nd,nan,5,1\n"
SPEEDS = "job_type,scale_factor,worker_type,consolidated,steps_per_s\nM,1,V100,1,2\n"
CLUSTER = "V100=1x4,K80=1x4"


@pytest.fixture
def trace_file(tmp_path):
    path = tmp_path / "itp.csv"
    path.write_text(ROWS)
    return path


def test_inspect_counts_rows_and_says_what_they_ask_for(run, trace_file):
    answer = run("trace", "inspect", trace_file, "--cluster", CLUSTER, "--json")
    assert answer.code == 0, answer.err
    found = answer.document
    assert (found["rows"], found["kept"]) == (4, 2)
    assert sum(found["dropped"].values()) == 2
    assert found["gpu_seconds"] == str(100 + 9 * 50)
    assert found["total_load"] == pytest.approx((100 + 450) / (8 * 100))
    assert set(found["offered_load"]) == {"V100", "K80"}
    (wide,) = found["unschedulable"]
    assert wide["name"] == "b"
    assert "needs 9 GPUs" in wide["reason"]
    assert (found["wider_than_node"], found["durations_s"]["p100"]) == (1, 100)
    assert sum(found["arrivals_by_hour"]) == 2


def test_inspect_for_people(run, trace_file):
    answer = run("trace", "inspect", trace_file, "--cluster", CLUSTER, "--model-seed", "7")
    assert answer.code == 0, answer.err
    for text in ("kept                   2", "1  zero duration", "models drawn at seed 7"):
        assert text in answer.out


def test_inspect_draws_a_picture(run, trace_file, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    picture = tmp_path / "trace.png"
    answer = run("trace", "inspect", trace_file, "-o", picture, "--json")
    assert answer.document["files"] == {"picture": str(picture)}
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--format", "muri"), 4, "lacks columns"),
        (("--format", "nonsense"), 4, 'format = "nonsense", must be one of'),
        (("--cluster", "V100"), 2, "--cluster[0]"),
        (
            ("--cluster", "A100=1", "--throughputs", "v100.csv"),
            4,
            "must have a type of known speed",
        ),
        (("-o", "trace.doc"), 2, "must end in one of .png"),
    ],
)
def test_inspect_names_bad_calls(run, trace_file, monkeypatch, arguments, code, message):
    monkeypatch.chdir(trace_file.parent)
    (trace_file.parent / "v100.csv").write_text(SPEEDS)
    answer = run("trace", "inspect", trace_file, *arguments)
    assert (answer.code, message in answer.err) == (code, True), answer.err


@pytest.fixture
def catalogue(monkeypatch):
    """A catalogue of one trace on loopback; the server that offers it."""
    pytest.importorskip("pooch", reason="the extra 'traces' is not installed")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(ROWS)))
            self.end_headers()
            self.wfile.write(ROWS.encode())

        def log_message(self, format, *args):
            """Keep the test output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/itp.csv"
    digest = hashlib.sha256(ROWS.encode()).hexdigest()
    entry = fetch.PublicTrace("own", "four rows", "CC0", url, digest, "itp.csv")
    monkeypatch.setattr(fetch, "PUBLIC_TRACES", (entry,))
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_fetch_downloads_and_the_file_can_be_inspected(run, catalogue, tmp_path):
    answer = run("trace", "fetch", "own", "--out", tmp_path, "--json")
    assert answer.code == 0, answer.err
    assert answer.document["file"] == str(tmp_path / "itp.csv")
    assert run("trace", "inspect", answer.document["file"], "--json").document["kept"] == 2


def test_fetch_offline_says_where_to_put_the_file(run, catalogue, tmp_path):
    catalogue.shutdown()
    catalogue.server_close()
    answer = run("trace", "fetch", "own", "--out", tmp_path, "--json")
    assert answer.code == 4
    assert answer.document["error"]["kind"] == "TraceError"
    assert "ConnectionError: no network?" in answer.err
    assert f"put at {tmp_path / 'itp.csv'} is used instead" in answer.err


def test_fetch_lists_what_there_is(run, catalogue):
    assert run("trace", "fetch").out.splitlines()[1].split() == ["own", "four", "rows", "CC0"]
    assert [entry["name"] for entry in run("trace", "fetch", "--json").document["public_traces"]]


def test_fetch_names_bad_calls(run, catalogue, tmp_path):
    answer = run("trace", "fetch", "other")
    assert (answer.code, "must be one of own" in answer.err) == (2, True), answer.err
    assert run("trace", "fetch", "--out", tmp_path).code == 2
