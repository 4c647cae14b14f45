"""The bench as a command, run inside this process."""

from __future__ import annotations

import json

import pytest

from hadaropt.cli import main


@pytest.fixture
def bench(capsys):
    """Run ``hadaropt bench ARGUMENTS --json``: exit code, document, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["bench", *map(str, arguments), "--json"])
        printed = capsys.readouterr()
        return stop.value.code, json.loads(printed.out), printed.err

    return call
