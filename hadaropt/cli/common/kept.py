"""Writing an answer to its files; what goes wrong is kept beside the answer, which is not lost."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.cli.common.proof import Proof, prove
from hadaropt.interrupts import quiet

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.results import OnlineRun, Result
    from hadaropt.schedule import Schedule


def keep_schedule(
    problem: Instance,
    schedule: Schedule | None,
    output: Path | None,
    troubles: list[BaseException],
) -> dict[str, str]:
    """Write the schedule where it was asked for, or else anywhere; return where it is.

    Parameters
    ----------
    problem : Instance
    schedule : Schedule or None
    output : Path or None
        None where no file was asked for.
    troubles : list
        What goes wrong is added to it.
    """
    from hadaropt.io import write_schedule

    if output is None or schedule is None:
        return {}
    try:
        write_schedule(schedule, output, problem)
        return {"schedule": str(output)}
    except Exception as error:
        troubles.append(error)
    try:
        kept = Path(tempfile.mkdtemp(prefix="hadaropt-kept-")) / "schedule.json"
        write_schedule(schedule, kept, problem)
        return {"schedule": str(kept)}
    except Exception as error:
        troubles.append(error)
        return {}


def keep_certificate(
    problem: Instance,
    source: OnlineRun | Result,
    schedule: Schedule | None,
    output: Path | None,
    written: dict[str, str],
    troubles: list[BaseException],
) -> Proof | None:
    """Make the certificate that was asked for, verify it and write it; return it if that went well.

    Parameters
    ----------
    problem : Instance
    source : OnlineRun or Result
    schedule : Schedule or None
    output : Path or None
        None where no certificate was asked for.
    written : dict
        The file is added to it.
    troubles : list
        What goes wrong, Ctrl-C included, is added to it.
    """
    from hadaropt.certificates import write_certificate

    proof = None
    if output is not None:
        try:
            proof = prove(problem, source, schedule)
            write_certificate(proof.certificate, output, problem)
            written["certificate"] = str(output)
        except (Exception, KeyboardInterrupt) as error:
            troubles.append(error)
    quiet()
    return proof
