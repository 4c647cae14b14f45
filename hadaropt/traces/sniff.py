"""Tells the format of a trace file from its first lines, and says what it looks like."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hadaropt.errors import TraceError
from hadaropt.traces.formats import philly, slurm, swf
from hadaropt.traces.formats.layout import TableFormat, TextFormat
from hadaropt.traces.known_tables import BY_COLUMN, WITH_HEADER, WITHOUT_HEADER
from hadaropt.traces.table import Table, lines_of, parse_table

_OWN = re.compile(r'"(hadaropt-[a-z]+/[0-9]+)"')

Format = TableFormat | TextFormat


@dataclass(frozen=True)
class Guess:
    """The format that fits (None: no format does), and a phrase saying what the file looks like."""

    format: Format | None
    phrase: str


def guess_format(text: str, source: str, formats: Iterable[Format]) -> Guess:
    """Return the one format whose columns are exactly those of the file, or why there is none."""
    line = _first_line(text)
    tables = [form for form in formats if isinstance(form, TableFormat)]
    if line[0] in "[{":
        return _exact(philly.JSON)
    if swf.is_swf(line):
        return _exact(swf.FORMAT)
    if slurm.is_slurm(line):
        return _exact(slurm.FORMAT)
    if "\t" in line:
        return _guess_tabs(len(line.split("\t")), tables)
    try:
        fields = parse_table(line, source).first
    except TraceError as error:
        return Guess(None, f"the first line is no csv ({error})")
    return _guess_csv(fields, tables)


def own_kind(text: str) -> str | None:
    """Return which of the JSON files of this package it is, such as ``hadaropt-workload/1``."""
    found = _OWN.search(text) if text.lstrip().startswith("{") else None
    return None if found is None else found[1]


def misfit(text: str, source: str, form: Format) -> str | None:
    """Return why the file cannot be read in format `form`, None where its first line fits."""
    line = _first_line(text)
    if isinstance(form, TextFormat):
        fits = {
            philly.JSON.name: line[0] in "[{",
            slurm.FORMAT.name: slurm.is_slurm(line),
            swf.FORMAT.name: swf.is_swf(line),
        }[form.name]
        return None if fits else "starts with a line that is wrong"
    if form.layout == "csv":
        header = parse_table(line, source).first
        lacking = [column for column in form.columns if column not in header]
        return f"lacks columns {lacking}" if lacking else None
    number = len(table_of(line, source, form).first)
    if number != len(form.columns):
        return f"must have {len(form.columns)} fields, has {number}"
    return None


def table_of(text: str, source: str, form: TableFormat) -> Table:
    """Cut the text at the delimiter of a format."""
    return parse_table(text, source, delimiter="\t" if form.layout == "headless-tsv" else ",")


def _first_line(text: str) -> str:
    """Return the first line that holds more than separators: other lines are no records."""
    lines = [line.strip(" ") for line in lines_of(text) if line.strip()]
    return next((line for line in lines if line.strip(' \t,"')), lines[0])


def _exact(form: Format) -> Guess:
    return Guess(form, f"it looks like {form.name!r} ({form.title})")


def _guess_tabs(number: int, tables: list[TableFormat]) -> Guess:
    known = [form for form in tables if form.layout == "headless-tsv"]
    for form in known:
        if len(form.columns) == number:
            return _exact(form)
    sizes = ", ".join(f"{form.name} {len(form.columns)}" for form in known)
    return Guess(None, f"{number} tab-separated fields fit no format ({sizes})")


def _guess_csv(fields: tuple[str, ...], tables: list[TableFormat]) -> Guess:
    header = frozenset(fields)
    known = [form for form in tables if form.layout != "headless-tsv"]
    for form in known:
        if header >= set(form.columns) and header <= {*form.columns, *form.optional}:
            return _exact(form)
        if form.probe is not None and len(fields) == len(form.columns):
            position, values = form.probe
            if fields[position] in values:
                return _exact(form)
    other = _other_file(fields, header)
    if other is not None:
        return Guess(None, f"it is no trace of jobs but looks like {other}")
    return Guess(None, _closest(header, known))


def _other_file(fields: tuple[str, ...], header: frozenset[str]) -> str | None:
    for columns, title in WITH_HEADER:
        if columns == header:
            return title
    for columns, title in BY_COLUMN:
        if columns <= header:
            return title
    for number, position, values, title in WITHOUT_HEADER:
        if len(fields) == number and fields[position] in values:
            return title
    return None


def _closest(header: frozenset[str], known: list[TableFormat]) -> str:
    """Say which format shares most columns with the header (Jaccard; ties to the first)."""
    best = max(
        known, key=lambda form: len(header & {*form.columns}) / len(header | {*form.columns})
    )
    lacking = [column for column in best.columns if column not in header]
    further = sorted(header - {*best.columns, *best.optional})
    if len(lacking) == len(best.columns):
        return f"columns {sorted(header)} fit no format"
    if not lacking:
        return (
            f"it looks like {best.name!r} ({best.title}) with further columns {further}; "
            f"format={best.name!r} reads it without them, by its rules ({best.conventions[0]})"
        )
    text = f"columns fit no format; it looks most like {best.name!r} ({best.title})"
    text += f", which also needs {lacking}"
    return text + (f" and does not have {further}" if further else "")
