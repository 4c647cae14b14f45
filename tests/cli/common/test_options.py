"""What commands share about their options."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hadaropt.cli import main
from hadaropt.cli.common.options import UsageError, option_error
from hadaropt.errors import InstanceError


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (InstanceError("cluster[0]", "must be so", "x_y"), "--cluster[0] = x_y, must be so"),
        (InstanceError('what_if "a_b"', "must be so"), '--what-if "a_b", must be so'),
        (InstanceError("baseline", "must be one of a_b"), "--baseline, must be one of a_b"),
        (InstanceError("scheduler", "must be so"), "--schedulers, must be so"),
        (ValueError("gang = 0, must be >= 1\nor more"), "--gang = 0, must be >= 1\nor more"),
    ],
)
def test_only_the_name_is_spelled_as_an_option(bad, says):
    assert str(option_error(bad, {"scheduler": "schedulers"})) == says


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "jobs.csv", "-o", "out"),
        ("simulate", "jobs.csv", "--scheduler", "yarn", "-o", "out"),
        ("audit", "jobs.csv", "-o", "out"),
        ("trace", "inspect", "jobs.csv", "-o", "out.svg"),
        ("bench", "ratio", "--seeds", "1", "-o", "out"),
        ("bench", "ratio", "--trace", "jobs.csv", "-o", "out"),
        ("bench", "schedulers", "--seeds", "1", "-o", "out"),
    ],
)
def test_without_matplotlib_pictures_are_refused_before_the_work(
    tmp_path, monkeypatch, capsys, words
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    text = "job_id,submission_time,duration,num_gpu\na,0,1000,1\n"
    (tmp_path / "jobs.csv").write_text(text)
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    assert stop.value.code == 2
    assert "matplotlib is not installed: pip install 'hadaropt[" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["jobs.csv"]


def test_an_integer_of_thousands_of_digits_is_cut_in_the_message(run, tmp_path):
    answer = run("generate", "gavel_like", "--seed", "9" * 5000, "-o", tmp_path / "x.json")
    assert answer.code == 2
    assert "(5002 characters) must be an integer of at most 400 digits" in answer.err
    assert len(answer.err) < 300


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("theorem", ""), "ID '': must be the id of a theorem"),
        (("theorem", " "), "ID ' ': must be the id of a theorem"),
        (("explain", "TINY", ""), "JOB '': the instance has no job"),
        (("online", "TINY", "--policy", ""), "--policy '': must be one of"),
        (("online", "TINY", "--price", ""), "--price: '': must be one of"),
        (("solve", "TINY", "--method", ""), "--method: '': must be one of"),
        (("online", "TINY", "--seed", ""), "--seed: '' must be an integer"),
    ],
)
def test_an_empty_value_is_shown(capsys, words, says):
    tiny = Path(__file__).parents[3] / "examples" / "tiny.json"
    with pytest.raises(SystemExit) as stop:
        main([str(tiny) if word == "TINY" else word for word in words])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


def test_a_message_that_shows_its_value_stays_as_it_is():
    for text in ("ID x: must be so", "NAME: must be so", "nothing was measured (1 : 2)"):
        assert str(UsageError(text)) == text


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "IN", "-o", "OTHER"),
        ("solve", "IN", "--certificate", "OTHER"),
        ("solve", "IN", "-o", "NEW", "--certificate", "NEW2"),
        ("online", "IN", "-o", "OTHER"),
        ("export", "IN", "-o", "OTHER.mps"),
        ("plot", "anytime", "IN", "-o", "OTHER.svg"),
    ],
)
def test_another_name_of_the_same_file_is_the_same_file(run, tmp_path, words):
    content = (Path(__file__).parents[3] / "examples" / "tiny.json").read_bytes()
    places = {word: tmp_path / word for word in ("IN", "OTHER", "OTHER.mps", "OTHER.svg")}
    places["IN"].write_bytes(content)
    for name in ("OTHER", "OTHER.mps", "OTHER.svg"):
        places[name].hardlink_to(places["IN"])
    (tmp_path / "NEW").write_bytes(b"")
    (tmp_path / "NEW2").hardlink_to(tmp_path / "NEW")
    places |= {name: tmp_path / name for name in ("NEW", "NEW2")}
    answer = run(*(places.get(word, word) for word in words))
    assert answer.code == 2
    assert f"is also {'--out' if 'NEW' in words else 'an input'} of this command" in answer.err
    assert places["OTHER"].read_bytes() == content
    assert (tmp_path / "NEW").read_bytes() == b""
