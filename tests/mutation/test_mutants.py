"""The mutator changes what it says, where it says, and the verifier has mutants enough."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.known import reason
from tests.mutation.mutants import Mutant, apply, mutants, resolve

SOURCE = '''"""A module."""


class Box:
    """A box."""

    @property
    def size(self) -> int:
        """Return 3, not 4."""
        return 3


def least(a, b):
    """Return the least."""
    if a < b:
        return min(a, b)
    if a == b and not a:
        raise ValueError("must be 1")
    return b
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = tmp_path / "mutated_module.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("mutated_module", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mutated_module", made)
    spec.loader.exec_module(made)
    return made


def named(module: ModuleType, change: str) -> Mutant:
    (found,) = [mutant for mutant in mutants(module) if mutant.change == change]
    return found


def test_every_operator_is_changed_and_no_text(module: ModuleType) -> None:
    changes = [mutant.change for mutant in mutants(module)]
    for change in ("a < b  ->  a <= b", "a == b  ->  a != b", "min  ->  max", "not a  ->  a",
                   "3  ->  4", "3  ->  2", "a == b and (not a)  ->  a == b or not a",
                   "return 3  ->  return None"):  # fmt: skip
        assert change in changes
    assert any("-> pass" in change.replace("  ", " ") for change in changes)
    assert not any("must be 1X" in change or "A box" in change for change in changes)
    assert len(set(changes)) == len(changes)


def test_whoever_has_imported_the_function_runs_the_mutant(module: ModuleType) -> None:
    least, box = module.least, module.Box()
    assert (least(1, 2), box.size) == (1, 3)
    apply(named(module, "min  ->  max"), module)
    apply(named(module, "3  ->  4"), module)
    assert (least(1, 2), box.size) == (2, 4)
    assert resolve(module, "Box.size").__name__ == "size"


@pytest.mark.parametrize("name", ["check", "payoffs", "covering"])
def test_the_verifier_has_mutants_of_every_function(name: str) -> None:
    module = importlib.import_module(f"hadaropt.certificates.{name}")
    found = list(mutants(module))
    assert len(found) > 50
    assert {mutant.function for mutant in found} >= {
        "check": {"verify", "_check_bound", "Verification.proved"},
        "payoffs": {"max_payoffs", "_best"},
        "covering": {"least_costs", "_table", "_labels"},
    }[name]


def test_reasons_are_for_named_changes_only() -> None:
    assert reason("_best", "if cost >= last: continue  ->  if False: continue") is not None
    assert reason("_best", "max  ->  min") is None
    assert reason("verify", "0  ->  1") is None
