"""The bench as a command."""

from __future__ import annotations

import json

import pytest

from hadaropt.cli import main


@pytest.fixture
def bench(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["bench", *map(str, arguments), "--json"])
        printed = capsys.readouterr()
        return stop.value.code, json.loads(printed.out), printed.err

    return call
