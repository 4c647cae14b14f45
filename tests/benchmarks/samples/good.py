"""Sample <experiment>."""

from benchmarks.paper.claims import Claim


def run(full, out):
    (out / "table.csv").write_text("a\n")
    return [Claim("A | B <script>alert(1)</script>", "2x", f"full: {full}", "*same* setting")]
