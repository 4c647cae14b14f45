"""The example of the training page prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "training.md"
pytestmark = pytest.mark.train


def test_the_example_prints_what_is_shown():
    pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
    examples = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    (example,) = [text for text in examples if "# >" in text]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example, str(PAGE), "exec"), {})
    assert out.getvalue().splitlines() == re.findall(r"# > (.*)", example)
