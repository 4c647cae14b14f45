"""The kernels again with every index checked, and the rule that keeps their code up to date."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hadaropt.kernels

HERE = Path(__file__).parent
KERNELS = sorted(Path(hadaropt.kernels.__file__).parent.glob("*/*.py"))


@pytest.mark.skipif("NUMBA_BOUNDSCHECK" in os.environ, reason="this is the inner run")
@pytest.mark.timeout(3600)  # compiles every kernel anew
def test_no_kernel_reads_out_of_bounds(tmp_path):
    """pitfall 10: an out-of-bounds read returns garbage unless NUMBA_BOUNDSCHECK=1."""
    env = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    env["PYTEST_ADDOPTS"] = ""
    # The comparisons with plain Python would only repeat the same calls.
    chosen = ("-k", "not python_and_compiled", "-p", "no:cacheprovider", str(HERE))
    command = [sys.executable, "-m", "pytest", "-q", "-x", *chosen]
    done = subprocess.run(
        command, env=env, cwd=HERE.parent.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert list(tmp_path.rglob("*.nbc")), "the inner run compiled nothing"


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_import_kernels_only_and_compile_by_one_decorator(path):
    """pitfall 10: numba would keep old code; `cache` keys it by all kernels' sources."""
    allowed = {"__future__", "typing", "numpy", "numpy.typing"}
    for entry in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(entry, ast.Import):
            assert {alias.name for alias in entry.names} <= allowed
        if isinstance(entry, ast.ImportFrom):
            module = str(entry.module)
            assert entry.level == 0
            assert module in allowed or module.startswith("hadaropt.kernels.")
