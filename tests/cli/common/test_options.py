"""What options check before any work is done."""

from __future__ import annotations

import sys

import pytest

from hadaropt.cli import main


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "jobs.csv", "-o", "out"),
        ("simulate", "jobs.csv", "--scheduler", "yarn", "-o", "out"),
        ("audit", "jobs.csv", "-o", "out"),
        ("trace", "inspect", "jobs.csv", "-o", "out.svg"),
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
