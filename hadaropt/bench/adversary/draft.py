"""The worst plays so far on disk, so that nothing that ends a search loses them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from hadaropt.bench.adversary.archive import INSTANCE
from hadaropt.bench.adversary.judge import Judge, Judged
from hadaropt.exact import to_text
from hadaropt.io import instance_sha256, write_instance
from hadaropt.io.files import write_text

DRAFT = "draft.json"


class Drafts:
    """Writes each play when it is found: its instance, and `DRAFT` with what it did.

    `DRAFT` names the SHA-256 of the instance that it is about: a search that is killed between the
    two files leaves one of the play before.

    A draft's optimum is the exact value of a checked schedule; it is not proved. A draft that
    cannot be written (a full disk) is said, and the one before it stays.

    Parameters
    ----------
    judge : Judge
    policy, rival : str
    folder : Path or None
        None: nothing is written.

    Attributes
    ----------
    failure : OSError or None
        Why the last draft could not be written.
    saved : bool
        Whether any draft was written.
    """

    def __init__(self, judge: Judge, policy: str, rival: str, folder: Path | None) -> None:
        self._judge, self._folder = judge, folder
        self._names = {"policy": policy, "rival": rival}
        self.failure: OSError | None = None
        self.saved = False

    def folder(self, label: str) -> Path | None:
        """Return the folder of ``worst`` or ``starved``."""
        if self._folder is None or label == "worst":
            return self._folder
        return self._folder / label

    @property
    def told(self) -> str:
        """Where the worst play is, in words."""
        if self._folder is None:
            return ""
        return f", saved in {self._folder}" if self.failure is None else ", NOT saved"

    def keep(self, label: str, judged: Judged) -> None:
        """Write a play in the place of the one before."""
        folder, judge = self.folder(label), self._judge
        if folder is None:
            return
        name = f"worst {judge.objective} of {self._names['policy']}"
        instance = judged.play.instance(judge.limits.parallelism, name)
        facts = {
            "proved": False,
            "instance_sha256": instance_sha256(instance),
            **self._names,
            "objective": judge.objective,
            "limits": asdict(judge.limits),
            "primal": to_text(judged.primal),
            "against": to_text(judged.against),
            "evaluations": judge.count,
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_instance(instance, folder / INSTANCE)
            (folder / DRAFT).unlink(missing_ok=True)  # is of the play before
            write_text(folder / DRAFT, json.dumps(facts, indent=1) + "\n")
            self.failure, self.saved = None, True
        except OSError as bad:
            self.failure = bad

    def settled(self, label: str) -> None:
        """Remove what is left of a draft whose proof is written."""
        folder = self.folder(label)
        if folder is not None:
            (folder / DRAFT).unlink(missing_ok=True)
