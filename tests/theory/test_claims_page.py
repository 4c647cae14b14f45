"""The claim table as a page: every theorem in Coq is a link to the file that states it."""

import html
import re
import runpy
from pathlib import Path

from tests.theory.test_proofs import CLAIMS, PROOFS, quoted, statements

WRITER = PROOFS / "claims_page.py"


def test_each_theorem_of_a_claim_leads_to_its_statement():
    page = runpy.run_path(str(WRITER))["page"]()
    stated = statements()
    found = re.findall(r'href="HadarTheory\.(\w+)\.html#([A-Za-z0-9_\']+)"', page)
    named = [name for claim in CLAIMS for name in quoted(claim["coq"])]
    assert [name for _, name in found] == named
    for module, name in found:
        assert stated[name] == [f"{module}.v"]


def test_every_claim_has_a_row(tmp_path, monkeypatch):
    target = tmp_path / "claims.html"
    monkeypatch.setattr("sys.argv", [str(WRITER), str(target)])
    runpy.run_path(str(WRITER), run_name="__main__")
    page = Path(target).read_text()
    assert page.count("<tr>") == len(CLAIMS) + 1
    for claim in CLAIMS:
        assert f"<td>{html.escape(claim['id'])}</td>" in page
