"""Warnings as lines for people."""

import warnings

import hadaropt.exact
from hadaropt.cli.common.warned import warnings_as_lines


def warn(message, category, filename):
    warnings.warn_explicit(message, category, filename, 7, module="hadaropt.exact", registry={})


def test_a_warning_of_this_package_is_a_line_each_time(capsys):
    before = warnings.showwarning
    with warnings_as_lines():
        for _ in range(2):
            warn("a worker is lost", RuntimeWarning, hadaropt.exact.__file__)
    assert capsys.readouterr().err == "hadaropt: warning: a worker is lost\n" * 2
    assert warnings.showwarning is before


def test_warnings_of_others_are_shown_as_ever(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr(warnings, "showwarning", lambda *arguments: shown.append(arguments[1]))
    with warnings_as_lines():
        warnings.simplefilter("always")
        warnings.warn_explicit("old", RuntimeWarning, "numpy/core.py", 7)
        warn("old", UserWarning, hadaropt.exact.__file__)
    assert shown == [RuntimeWarning, UserWarning]
    assert capsys.readouterr().err == ""
