"""Blocks of a page as text."""

from __future__ import annotations

import pytest

from hadaropt.bench.page.html import Numbers, Section, Table, Text, page

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_characters_that_hide_or_reverse_text_are_shown_by_their_codes():
    name = "a\0b\n\N{RIGHT-TO-LEFT OVERRIDE}c\ud800"
    numbers = Numbers(name, (name,), [(name,)])
    table = Table((name, name), [(name, name)], numbers, caption=name)
    found = page(name, name, [Section("x", name, [table, Text(name)])])
    found.encode()
    assert "a\\x00b\\n\\u202ec\\ud800" in found
    assert not set("\0\N{RIGHT-TO-LEFT OVERRIDE}\ud800") & set(found)


def test_numbers_quote_what_needs_it():
    assert Numbers("n", ("a", "b"), [('x,"y"', 1)]).text() == 'a,b\n"x,""y""",1\n'
