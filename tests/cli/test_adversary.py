"""hadaropt adversary."""

from __future__ import annotations

import errno
import json

import pytest

from hadaropt.cli.common.folders import check_new_folder
from tests.interrupting import cut_short

SMALL = ("--jobs", "4", "--rounds", "1", "--gpus", "2", "--evaluations", "60")


def test_a_find_is_proved_printed_and_written(run, tmp_path) -> None:
    out = tmp_path / "worst"
    outcome = run("adversary", "--policy", "fifo", *SMALL, "-o", str(out))
    assert outcome.code == 0
    assert "OPT / P = " in outcome.out and "lower bound" in outcome.out
    assert sorted(p.name for p in out.iterdir()) == [
        "certificate.json",
        "find.json",
        "instance.json",
    ]
    assert "fifo: " in outcome.err
    assert run("verify", str(out / "instance.json"), str(out / "certificate.json")).code == 0
    assert run("adversary", "--policy", "fifo", *SMALL, "-o", str(out)).code == 2


def test_a_policy_without_prices_is_not_said_to_have_some(run) -> None:
    outcome = run("adversary", "--policy", "fifo", *SMALL)
    words = " ".join(outcome.out.split())
    assert "what prices of zero prove: D >= OPT" in words
    assert "told nothing, it has no prices; the limits of the search" in words
    assert "own prices" not in words and "prices are told" not in words


def test_what_prices_are_told_and_prove_is_said(run) -> None:
    outcome = run("adversary", "--policy", "primal-dual:linear", *SMALL)
    words = " ".join(outcome.out.split())
    assert "what the policy's own prices prove: D >= OPT" in words
    assert "told the prices are told U/L = 100, L = 1 and m = 2" in words


def test_json_is_exact(run) -> None:
    outcome = run("adversary", "--policy", "primal-dual:linear", *SMALL, "--gang", "1", "--json")
    find = outcome.document["finds"]["worst"]
    assert outcome.code == 0
    assert find["best"] == find["bound"]
    assert find["theorem"] == "T4"
    assert outcome.document["evaluations"] <= 61


def test_a_price_function_of_another_package_is_attacked_by_its_name(run, package) -> None:
    outcome = run("adversary", "--policy", "primal-dual:square", *SMALL, "--json")
    assert outcome.code == 0
    assert outcome.document["finds"]["worst"]["theorem"] == "T4"


def test_a_rival(run) -> None:
    answer = run("adversary", "--policy", "fifo", "--rival", "rolling-horizon", *SMALL)
    assert answer.code == 0
    assert "rolling_horizon / P = " in answer.out


def test_nothing_found_is_said(run) -> None:
    outcome = run("adversary", "--policy", "fifo", "--time-limit", "0")
    assert outcome.code == 3
    assert "nothing within the limits and the budget" in outcome.out


def test_ctrl_c_keeps_the_worst(run, monkeypatch) -> None:
    from hadaropt.bench.adversary.judge import Judge

    judged = Judge.__call__

    def interrupt(self, *arguments):
        if self.count == 40:
            raise KeyboardInterrupt
        return judged(self, *arguments)

    monkeypatch.setattr(Judge, "__call__", interrupt)
    outcome = run("adversary", "--policy", "fifo", "--jobs", "4", "--gpus", "2")
    assert outcome.code == 130
    assert "interrupted" in outcome.out and "OPT / P = " in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "fifi"), "did you mean fifo?"),
        (("--policy", "fifo,random"), "must be one of"),
        (("--policy", "fifo", "--rival", "greedy"), "did you mean greedy_density?"),
        (("--policy", "fifo", "--rival", "random", "--objective", "certified"), "no place"),
        (("--policy", "fifo", "--spread", "1"), "--spread = 1, must be >= 2"),
        (("--policy", "fifo", "--gang", "0"), "--gang = 0, must be >= 1"),
        (("--policy", "fifo", "--evaluations", "0"), "must be >= 1"),
        (("--policy", "fifo", "--seed", "-1"), "must be >= 0"),
        (("--policy", "fifo", "--time-limit", "-1"), "finite number of seconds"),
    ],
)
def test_usage(run, arguments, message) -> None:
    outcome = run("adversary", *arguments)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_folder_that_cannot_be_made_is_said_before_the_search(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("hadaropt.bench.adversary.search.Search.run", lambda *_: 1 / 0)
    (tmp_path / "file").write_text("")
    outcome = run("adversary", "--policy", "fifo", *SMALL, "-o", tmp_path / "file" / "x")
    assert outcome.code == 4
    assert str(tmp_path / "file") in outcome.err
    check_new_folder(tmp_path / "a" / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_find_is_on_disk_as_soon_as_it_is_found(run, tmp_path, monkeypatch) -> None:
    from hadaropt.bench.adversary.judge import Judge

    out, judged = tmp_path / "worst", Judge.__call__

    def dies(self, *arguments):
        if self.count == 40:
            raise RuntimeError("killed")
        return judged(self, *arguments)

    monkeypatch.setattr(Judge, "__call__", dies)
    outcome = run("adversary", "--policy", "fifo", *SMALL, "-o", str(out))
    assert "saved in" in outcome.err
    draft = json.loads((out / "draft.json").read_text())
    assert draft["proved"] is False
    replayed = run("online", str(out / "instance.json"), "--policy", "fifo", "--json").document
    assert replayed["primal"] == draft["primal"]


@pytest.mark.parametrize("full_at", [1, 3])
def test_a_full_disk_is_said_and_what_was_saved_stays(run, tmp_path, monkeypatch, full_at) -> None:
    from hadaropt.bench.adversary import archive, draft

    written = []

    def full(write):
        def wrapped(*arguments):
            written.append(1)
            if len(written) >= full_at:
                raise OSError(errno.ENOSPC, "No space left on device", "file")
            write(*arguments)

        return wrapped

    monkeypatch.setattr(draft, "write_instance", full(draft.write_instance))
    monkeypatch.setattr(archive, "write_instance", full(archive.write_instance))
    out = tmp_path / "worst"
    outcome = run("adversary", "--policy", "fifo", *SMALL, "-o", str(out), "--json")
    assert outcome.code == 4
    assert outcome.document["finds"]["worst"]["primal"]
    assert outcome.document["not_saved"] == "file: No space left on device"
    if full_at == 1:
        assert "NOT saved" in outcome.err
    assert (out / "instance.json").exists() == (full_at > 1)


def test_ctrl_c_in_the_proof_is_no_complete_search(run, monkeypatch) -> None:
    from hadaropt.bench.adversary import archive

    cut_short(monkeypatch, archive, "branch_and_price")
    outcome = run("adversary", "--policy", "fifo", *SMALL, "--json")
    assert outcome.code == outcome.document["exit_code"] == 130
    assert outcome.document["complete"] is False and outcome.document["finds"]


def test_a_disk_that_is_full_from_the_beginning_holds_no_earlier_find(
    run, tmp_path, monkeypatch
) -> None:
    from hadaropt.bench.adversary import archive, draft

    def full(*_):
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(draft, "write_instance", full)
    monkeypatch.setattr(archive, "write_instance", full)
    outcome = run("adversary", "--policy", "fifo", *SMALL, "-o", tmp_path / "out")
    assert outcome.code == 4
    assert "x: No space left on device" in outcome.out and "earlier finds" not in outcome.out
