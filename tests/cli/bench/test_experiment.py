"""``hadaropt bench run``: wrong commands."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("run", "misinfo"), 4, 'did you mean "misinformation"'),
        (("run", "absent.toml"), 4, "absent.toml"),
        (("run", "load", "--workers=0"), 2, "--workers 0: must be >= 1"),
        (("run", "load", "--seeds=0"), 4, "load.toml.seeds = 0, must be an integer >= 1"),
        (("schedulers", "--schedulers=,"), 2, "selects nothing"),
        (("schedulers", "--schedulers=yarrn"), 2, "did you mean yarn?"),
        (("schedulers", "--families=six-class"), 2, "must be one of gavel_like, philly_like"),
        (("schedulers", "--jobs=0"), 2, "jobs = 0, must be an integer >= 1"),
        (("ratio", "--baseline=fifoo"), 2, 'did you mean "fifo"'),
        (("ratio", "--cell-time-limit=0"), 2, "--cell-time-limit 0.0: must be > 0"),
        (("ratio", "--seeds=1", "--dask=nonsense"), 2, "no Dask cluster answers at nonsense"),
        (("rerun", "absent"), 4, "absent"),
    ],
)
def test_wrong_commands_say_what(bench, arguments, code, said):
    found, document, _ = bench(*arguments)
    assert said in document["error"]["message"]
    assert found == code
