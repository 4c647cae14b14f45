"""What formats are described by."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.traces.builder import NEVER_STARTED, STILL_RUNNING
from hadaropt.traces.formats.layout import TableFormat, TextFormat, each, not_run, ran
from hadaropt.traces.registry import FORMATS

ONE, TWO = Fraction(1), Fraction(2)


@pytest.mark.parametrize(
    ("start", "end", "why", "attempts"),
    [
        (ONE, TWO, None, ((ONE, TWO),)),
        (None, TWO, NEVER_STARTED, ()),
        (ONE, None, STILL_RUNNING, ()),
        (None, None, NEVER_STARTED, ()),
    ],
)
def test_a_job_runs_from_its_start_to_its_end(start, end, why, attempts):
    assert (not_run(start, end), ran(start, end)) == (why, attempts)


def test_rows_are_read_one_by_one_and_in_order():
    seen = []
    each(lambda row, build: seen.append((row, build)))(iter("abc"), "builder")
    assert seen == [(row, "builder") for row in "abc"]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_format_is_described_whole(form):
    assert form.title and form.conventions and all(form.conventions)
    if isinstance(form, TextFormat):
        return
    assert isinstance(form, TableFormat)
    assert len({*form.columns, *form.optional}) == len(form.columns) + len(form.optional)
    if form.layout == "csv":
        assert form.probe is None
    else:
        assert not form.optional
    if form.probe is not None:
        place, values = form.probe
        assert 0 <= place < len(form.columns) and values
