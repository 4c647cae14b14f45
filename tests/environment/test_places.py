"""The package where strangers run it: other folders, installs, locales, seeds, threads, streams."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = ("hypothesis", "pytest", "matplotlib", "polars", "pulp", "pooch", "distributed", "dask")
EXTRAS += ("sklearn", "pytest_benchmark", "torch", "playwright")


def python(
    *arguments: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter that finds this clone."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)} | environment,
    )


def optimum(done: subprocess.CompletedProcess[str]) -> object:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["objective"]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder full of files that are named like modules, each of which ends the process."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    names = {*sys.stdlib_module_names, "numpy", "scipy", "numba", "highspy", "rich", "cyclopts"}
    for name in sorted(names - {"__main__", "antigravity", "this"}):
        (folder / f"{name}.py").write_text("raise SystemExit(99)\n")
    return folder


HIDE = f"""
import sys
class Absent:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""


def test_a_base_install_can_be_looked_at_whole() -> None:
    """The extras are hidden by an import hook."""
    program = HIDE + textwrap.dedent(
        """
        import inspect, pydoc
        import hadaropt
        assert len(inspect.getmembers(hadaropt)) > 30
        assert "branch_and_price" in pydoc.plain(pydoc.render_doc(hadaropt))
        from hadaropt import *
        assert Job is hadaropt.Job
        try:
            hadaropt.testing
        except hadaropt.HadaroptError as absent:
            print(absent)
        """
    )
    done = python("-c", program)
    assert done.returncode == 0, done.stderr
    assert "hadaropt[testing]" in done.stdout


def test_a_base_install_solves(instance_file: Path) -> None:
    program = HIDE + "from hadaropt.cli import main; main()"
    assert optimum(python("-c", program, "solve", str(instance_file), "--json")) == "253/2"


def test_what_stands_in_the_folder_does_not_matter(hostile: Path, instance_file: Path) -> None:
    command = Path(sys.executable).with_name("hadaropt")
    if not command.exists():
        pytest.skip("the console script is not installed beside this interpreter")
    done = subprocess.run(
        [command, "solve", instance_file, "--json"],
        cwd=hostile, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert optimum(done) == "253/2"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_sweep_in_that_folder_works(hostile: Path, workers: str) -> None:
    command = Path(sys.executable).with_name("hadaropt")
    if not command.exists():
        pytest.skip("the console script is not installed beside this interpreter")
    sizes = ["--seeds=1", "--jobs=3", "--rounds=3", "--parallelism=mixed", f"--workers={workers}"]
    names = ["--families=small_uniform", "--policies=fifo"]
    done = subprocess.run(
        [command, "bench", "ratio", *names, *sizes, "--json"],
        cwd=hostile, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["failures"] == []


def test_the_module_run_as_a_program_leaves_that_folder_alone(tmp_path: Path) -> None:
    """`python -m` puts the folder first: what it has not loaded by then comes from elsewhere."""
    for name in ("queue", "cyclopts", "rich", "fractions", "json", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)\n")
    done = python("-m", "hadaropt", "--version", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_installed_wheel_works_outside_of_the_clone_read_only(
    tmp_path: Path, instance_file: Path
) -> None:
    """The wheel is unpacked; nobody may write into it, nor into a home or a cache."""
    pytest.importorskip("hatchling")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    for path in (*site.rglob("*"), site):
        path.chmod(0o555 if path.is_dir() else 0o444)
    program = "from hadaropt.cli import main; import hadaropt, sys; "
    program += "print(hadaropt.__file__, file=sys.stderr); main()"
    # A check compiles nothing; how kernels work without any cache: see test_kernel_cache.py.
    done = python(
        *("-c", program, "models", str(instance_file), "--json"),
        cwd=tmp_path, PYTHONPATH=str(site), HOME="/proc/none", XDG_CACHE_HOME="/proc/none",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(site) in done.stderr
    assert len({json.dumps(row) for row in json.loads(done.stdout)["models"]}) == 3


def test_seeds_of_hashes_and_threads_of_libraries_change_nothing(instance_file: Path) -> None:
    program = "from hadaropt.cli import main; main()"
    answers = []
    for seed, threads in (("1", "1"), ("2", "2")):
        done = python(
            *("-c", program, "solve", str(instance_file), "--json"),
            PYTHONHASHSEED=seed, OPENBLAS_NUM_THREADS=threads, OMP_NUM_THREADS=threads,
        )  # fmt: skip
        document = json.loads(done.stdout)
        answers.append({key: document[key] for key in ("objective", "bound", "grade")})
    assert answers[0] == answers[1]


def test_the_plainest_locale_and_no_terminal(tmp_path: Path, instance_file: Path) -> None:
    file = tmp_path / "caf\N{LATIN SMALL LETTER E WITH ACUTE}.json"
    text = instance_file.read_text(encoding="utf-8")
    file.write_text(text.replace('"c"', '"\N{GREEK SMALL LETTER PI}"'), encoding="utf-8")
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    program = "from hadaropt.cli import main; main()"
    done = python("-c", program, "solve", str(file), TERM="dumb", **plain)
    assert done.returncode == 0, done.stderr
    assert "\\u03c0" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    ("redirection", "code"),
    [("> /dev/full", 4), (">&-", 0), ("2>&-", 0), ("<&-", 0), ("2> /dev/full", 0)],
)
def test_full_and_closed_streams(redirection: str, code: int, instance_file: Path) -> None:
    start = shlex.join([sys.executable, "-c", "from hadaropt.cli import main; main()"])
    line = f"{start} solve {shlex.quote(str(instance_file))} {redirection}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if redirection == "> /dev/full":
        assert "standard output: No space left on device" in done.stderr


@pytest.mark.parametrize("platform", ["win32", "cygwin", "emscripten"])
def test_other_platforms_are_refused_with_a_sentence(platform: str) -> None:
    done = python("-c", f"import sys; sys.platform = {platform!r}; import hadaropt")
    assert done.returncode == 1
    assert f"ImportError: hadaropt needs Linux or macOS, and this is {platform}" in done.stderr


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_other_pythons_read_the_sources(version: str, tmp_path: Path) -> None:
    """Dependencies are not installed there: all sources compile, without a warning."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    owned = sorted(root.glob(f"{version}.*/bin/python"))
    found = str(owned[-1]) if owned else shutil.which(f"python{version}")
    command = [str(found), "-W", "error", "-m", "compileall", "-q", "-f", str(ROOT / "hadaropt")]
    if found is None or subprocess.run([found, "-c", ""], check=False).returncode != 0:
        pytest.skip(f"there is no Python {version} here")
    elsewhere = os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=elsewhere)
    assert done.returncode == 0, done.stdout + done.stderr
