"""``python -m tests.mutation [MODULE ...] [--every N] [--list]``.

Runs the certificate tests once to see which test runs which function; then, for each mutant, only
the tests that run its function, in a child process that stops at the first failure. Prints every
survivor; exit code 1 if there is one that `tests.mutation.known` does not explain.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import signal
import sys
import time
from collections import Counter
from types import CodeType, FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutation.known import reason
from tests.mutation.mutants import Mutant, apply, functions, mutants, resolve

MODULES = ("check", "payoffs", "options", "bounded", "covering", "format", "tree", "tree_document")
TESTS = (
    "tests/certificates/test_tampering.py",
    "tests/certificates/test_tree.py",
    "tests/certificates/test_check.py",
    "tests/certificates/test_covering.py",
    "tests/certificates/test_options.py",
    "tests/certificates/test_format.py",
    "tests/certificates/test_bounded.py",
    "tests/certificates/test_payoffs.py",
)
SECONDS_PER_MUTANT = 40
EXAMPLES = 40
MOST_MEMORY = 4 * 2**30


def hasten(item: pytest.Item) -> None:
    """Take fewer random examples, always the same ones, and do not shrink what fails."""
    function = getattr(item, "obj", None)
    chosen = getattr(function, "_hypothesis_internal_use_settings", None)
    if chosen is not None:
        function._hypothesis_internal_use_settings = settings(  # type: ignore[union-attr]
            chosen,
            max_examples=min(EXAMPLES, chosen.max_examples),
            phases=(Phase.explicit, Phase.generate),
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )


class Campaign:
    """A pytest plugin that runs the collected tests on every mutant."""

    def __init__(self, names: list[str], every: int) -> None:
        self.modules = {
            name: importlib.import_module(f"hadaropt.certificates.{name}") for name in names
        }
        self.every = every
        self.survivors: list[Mutant] = []
        self.counts: Counter[str] = Counter()
        self.covering: dict[tuple[str, str], list[Any]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of pytest's own loop."""
        for item in session.items:
            hasten(item)
        self.cover(session)
        assert not session.testsfailed, "the tests fail without any mutant"
        for name, module in self.modules.items():
            found = list(mutants(module))[:: self.every]
            for k, mutant in enumerate(found):
                verdict = self.judge(session, mutant)
                self.counts[verdict] += 1
                if verdict == "survived":
                    self.survivors.append(mutant)
                if k % 50 == 0:
                    print(f"{name}: {k} of {len(found)} {dict(self.counts)}", file=sys.stderr)
        return True

    def cover(self, session: pytest.Session) -> None:
        """Run all tests once, unchanged, and note which runs which function."""
        owner: dict[CodeType, tuple[str, str]] = {}
        import ast
        import inspect

        for module in self.modules.values():
            for name, _ in functions(ast.parse(inspect.getsource(module))):
                owner[resolve(module, name).__code__] = (module.__name__, name)
        for item in session.items:
            seen: set[tuple[str, str]] = set()

            def note(frame: FrameType, event: str, _: Any, seen: Any = seen) -> None:
                if event == "call" and frame.f_code in owner:
                    seen.add(owner[frame.f_code])

            started = time.perf_counter()
            sys.setprofile(note)
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            finally:
                sys.setprofile(None)
            seconds = time.perf_counter() - started
            for place in seen:
                self.covering.setdefault(place, []).append((seconds, item))
        for tests in self.covering.values():
            tests.sort(key=lambda pair: pair[0])

    def judge(self, session: pytest.Session, mutant: Mutant) -> str:
        """Return ``killed``, ``timeout``, ``untested`` or ``survived``."""
        tests = self.covering.get((mutant.module, mutant.function), [])
        if not tests:
            return "survived"
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS_PER_MUTANT)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, 1)
            os.dup2(sink, 2)
            try:
                apply(mutant, sys.modules[mutant.module])
                for _, item in tests:
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                    if session.testsfailed:
                        os._exit(1)
            except BaseException:
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return "timeout"
        return "survived" if os.WEXITSTATUS(status) == 0 else "killed"


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("modules", nargs="*", default=list(MODULES), metavar="MODULE")
    parser.add_argument("--every", type=int, default=1, help="only every N-th mutant")
    options = parser.parse_args()
    campaign = Campaign(options.modules, options.every)
    started = time.monotonic()
    plain = ("cacheprovider", "terminal", "timeout", "xdist")
    flags = [flag for name in plain for flag in ("-p", f"no:{name}")]
    arguments = ["-o", "addopts=", *flags, "--hypothesis-seed=0", *TESTS]
    pytest.main(arguments, plugins=[campaign])
    total = sum(campaign.counts.values())
    if not total:
        print("the tests could not be run")
        return 1
    unexplained = 0
    for mutant in campaign.survivors:
        why = reason(mutant.function, mutant.change)
        unexplained += why is None
        name = mutant.module.rpartition(".")[2]
        print(f"{name}.py:{mutant.line} {mutant.function}: {mutant.change}")
        print(f"    {why or 'NOT EXPLAINED'}")
    dead = total - campaign.counts["survived"]
    print(f"{total} mutants, {dead} killed ({100 * dead / total:.1f} %), {dict(campaign.counts)}; "
          f"{unexplained} survivors unexplained; {time.monotonic() - started:.0f} s")  # fmt: skip
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
