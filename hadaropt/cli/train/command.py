"""``hadaropt train``: train forked jobs on a Dask cluster."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from hadaropt.cli.common import exits
from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.names import chosen
from hadaropt.cli.common.options import (
    AsJson,
    MaybeInteger,
    UsageError,
    as_choice,
    option,
    out_option,
)
from hadaropt.errors import MissingExtraError, TrackerError, TrainingStoppedError

if TYPE_CHECKING:
    from hadaropt.cli.train.settings import Settings
    from hadaropt.forking.training.checkpoint import Checkpoint
    from hadaropt.forking.training.events import Event
    from hadaropt.forking.training.loop import Training

DEFAULT_TASKS = "digits,diabetes"
DEFAULT_STEPS = 3000
DEFAULT_ROUND_SECONDS = 2.0

Demo = Annotated[
    bool,
    Parameter(negative=(), help="Start five workers of different speeds on this machine."),
]
Address = Annotated[
    str | None,
    option(
        "Address of a running Dask cluster, such as tcp://host:8786.", default="none", name="--dask"
    ),
]
Resume = Annotated[
    Path | None,
    option("Go on from the checkpoint in this folder, with its settings.", default="begin anew"),
]
Folder = Annotated[
    Path | None,
    out_option(
        "Folder for the checkpoint, the curves (csv) and a picture of them.", default="not written"
    ),
]
Tasks = Annotated[
    str | None,
    option(
        "Comma-separated: digits, diabetes, cancer; with torch conv_digits and char_model.",
        default=DEFAULT_TASKS,
    ),
]
Steps = Annotated[
    MaybeInteger, option("Of each job.", default=f"{DEFAULT_STEPS}", unit="training steps")
]
Copies = Annotated[
    MaybeInteger,
    option("Most copies of a job at once.", default="one on each node", unit="copies"),
]
RoundSteps = Annotated[
    MaybeInteger,
    option(
        "Consolidate after so many steps of a job.",
        default="by the clock",
        unit="training steps",
    ),
]
RoundSeconds = Annotated[
    float | None,
    option(
        "Consolidate after so long.",
        default=f"{DEFAULT_ROUND_SECONDS:g}, without --round-steps",
        unit="seconds",
    ),
]
OptimiserName = Annotated[
    Literal["average", "reset"] | None,
    option("The optimiser's state at a consolidation.", default="average", converter=as_choice),
]
PlanName = Annotated[
    Literal["proportional", "jct", "makespan"] | None,
    option(
        "Which nodes train what: all jobs ending together, or HadarE's planner for mean completion "
        "time or makespan.",
        default="proportional",
        converter=as_choice,
    ),
]
Seed = Annotated[MaybeInteger, option("Names first weights and minibatches.", default="0")]
Patience = Annotated[
    float,
    option(
        "How long to wait for a worker when none is left.",
        name="--patience-seconds",
        unit="seconds",
    ),
]


def train(
    *,
    demo: Demo = False,
    dask: Address = None,
    resume: Resume = None,
    output: Folder = None,
    tasks: Tasks = None,
    steps: Steps = None,
    copies: Copies = None,
    round_steps: RoundSteps = None,
    round_seconds: RoundSeconds = None,
    optimiser: OptimiserName = None,
    plan: PlanName = None,
    seed: Seed = None,
    patience: Patience = 30.0,
    json: AsJson = False,
) -> Answer:
    """Train small models for real, forked over the workers of a Dask cluster.

    A worker that dies costs the steps of its copies, which are made again elsewhere: the count is
    exact. Ctrl-C keeps the checkpoint of the last round.

    Exit code 0: every job has made its steps. 3: stopped before (no worker is left, or a job always
    fails); the answer says how far it came.
    """
    from hadaropt.cli.train.settings import Settings
    from hadaropt.forking.training.checkpoint import load_checkpoint
    from hadaropt.forking.training.tasks.registry import TASK_NAMES

    if demo and dask is not None:
        raise UsageError("--demo: starts a cluster of its own, --dask names another")
    if not (demo or dask or resume):
        raise UsageError("name --demo, --dask or --resume")
    if not (patience >= 0 and math.isfinite(patience)):
        raise UsageError(f"--patience-seconds {patience}: must be a finite number of seconds >= 0")
    given = {
        "--tasks": tasks,
        "--steps": steps,
        "--copies": copies,
        "--round-steps": round_steps,
        "--round-seconds": round_seconds,
        "--optimiser": optimiser,
        "--plan": plan,
        "--seed": seed,
        "--out": output,
    }
    if resume is not None:
        for flag, value in given.items():
            if value is not None:
                raise UsageError(f"{flag} {value}: is not for --resume, the checkpoint says it")
        checkpoint = load_checkpoint(resume)
        settings = Settings.read(checkpoint.settings)
        return _train(settings, dask, resume, patience, checkpoint)
    if round_steps is None and round_seconds is None:
        round_seconds = DEFAULT_ROUND_SECONDS
    names = chosen("--tasks", tasks, DEFAULT_TASKS.split(","), TASK_NAMES)
    try:
        settings = Settings(
            names,
            DEFAULT_STEPS if steps is None else steps,
            copies,
            round_steps,
            round_seconds,
            optimiser or "average",
            seed or 0,
            plan or "proportional",
        )
        settings.jobs()
    except TrackerError as bad:
        flag = "tasks" if bad.path == "task" else bad.path.replace("_", "-")
        raise UsageError(f"--{flag} {bad.value}: {bad.rule}") from None
    return _train(settings, dask, _new_folder(output), patience, None)


def _new_folder(folder: Path | None) -> Path | None:
    from hadaropt.forking.training.checkpoint import FILE

    if folder is None:
        return None
    if (folder / FILE).exists():
        raise UsageError(f"--out {folder}: holds a training; go on with --resume {folder}")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: must be a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _train(
    settings: Settings,
    dask: str | None,
    folder: Path | None,
    patience: float,
    checkpoint: Checkpoint | None,
) -> Answer:
    from hadaropt.cli.train.progress import training_progress
    from hadaropt.forking.training.checkpoint import FILE, load_checkpoint
    from hadaropt.forking.training.engines.dask import DaskEngine
    from hadaropt.forking.training.loop import Training

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # its news are told as events
    jobs, events = settings.jobs(), list[Any]()
    totals = {job.task.name: job.steps for job in jobs}
    training: Training | None = None
    stopped, code = None, exits.YES
    try:
        with _cluster(dask) as (client, paces), training_progress(totals) as shown:
            engine = DaskEngine(client, paces=paces, on_progress=shown.copy_progress)
            _check_copies(settings, len(engine.nodes()))

            def observe(event: Event) -> None:
                events.append(event)
                shown.observe(event)

            training = Training(
                jobs,
                engine,
                options=settings.options(patience),
                plan=settings.make_plan(),
                folder=folder,
                checkpoint=checkpoint,
                settings=settings.document(),
                observe=observe,
            )
            training.run()
    except TrainingStoppedError as stop:
        stopped, code = str(stop), exits.LIMIT
    except KeyboardInterrupt:
        stopped, code = "interrupted", exits.INTERRUPTED
        if training is None:
            raise
    assert training is not None
    # An interruption may fall between a consolidation and its checkpoint: what counts is the file.
    saved = folder is not None and (folder / FILE).exists()
    kept = load_checkpoint(folder) if folder is not None and saved else training.checkpoint()
    return _answer(kept, jobs, events, folder, stopped, code)


@contextmanager
def _cluster(dask: str | None) -> Iterator[tuple[Any, dict[str, float]]]:
    """Yield a client, and the paces that a demonstration's nodes are held back to."""
    if dask is None:
        from hadaropt.forking.training.engines.local_cluster import (
            DEMO_PACE,
            DEMO_SPEEDS,
            local_cluster,
        )

        with local_cluster(DEMO_SPEEDS) as client:
            yield client, {node: DEMO_PACE * speed for node, speed in DEMO_SPEEDS.items()}
        return
    from hadaropt.forking.training.engines.dask import connect

    try:
        client = connect(dask)
    except MissingExtraError:
        raise
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(f"--dask {dask}: cannot be reached ({error})") from None
    with client:
        yield client, {}


def _check_copies(settings: Settings, nodes: int) -> None:
    if settings.copies is not None and nodes and settings.copies > nodes:
        raise UsageError(f"--copies {settings.copies}: must be <= {nodes}, the workers")


def _answer(
    kept: Checkpoint,
    jobs: Any,
    events: list[Any],
    folder: Path | None,
    stopped: str | None,
    code: int,
) -> Answer:
    from hadaropt.cli.train.files import write_training

    metrics = {job.task.name: job.task.metric for job in jobs}
    files = {} if folder is None else write_training(kept, metrics, folder)
    own = kept.tracker
    rows: list[dict[str, Any]] = []
    for name, metric in metrics.items():
        scores = [point.score for point in kept.curve if point.job == name]
        rows.append(
            {
                "job": name,
                "steps": own.total(name),
                "done": own.done(name),
                "rounds": own.rounds(name),
                "metric": metric,
                "first_score": scores[0],
                "score": scores[-1],
            }
        )
    lost = [event._asdict() for event in events if event.kind in ("lost", "refused", "late")]
    document = {
        "command": "train",
        "complete": own.finished(),
        "stopped": stopped,
        "seconds": kept.seconds,
        "jobs": rows,
        "nodes": _nodes(kept),
        "lost": lost,
        "files": files,
    }
    lines = [
        ("stopped", stopped or ""),
        ("steps", ", ".join(f"{r['job']} {r['done']} of {r['steps']}" for r in rows)),
        ("copies that count", str(len(kept.copies))),
        ("copies lost", f"{len(lost)}; their steps were not counted" if lost else "none"),
        ("training time", f"{kept.seconds:.1f} s"),
        *((f"{name} file", file) for name, file in files.items()),
    ]
    shown = [(r["job"], r["metric"], f"{r['first_score']:.4f}", f"{r['score']:.4f}") for r in rows]
    nodes = [
        (node, str(facts["copies"]), str(facts["steps"]), _speeds(facts["speeds"]))
        for node, facts in _nodes(kept).items()
    ]
    tables = [
        Table(("job", "score", "before", "after"), shown),
        Table(("node", "copies", "steps", "measured steps/s"), nodes),
    ]
    return Answer(document, lines if stopped else lines[1:], tables, code)


def _nodes(kept: Checkpoint) -> dict[str, Any]:
    from hadaropt.forking.tracking.tracker import SPEED_UNIT

    found: dict[str, Any] = {}
    for record in kept.copies:
        own = found.setdefault(record.node, {"copies": 0, "steps": 0, "speeds": {}})
        own["copies"] += 1
        own["steps"] += record.steps
        speed = kept.tracker.speed(record.job, record.node)
        own["speeds"][record.job] = None if speed is None else speed / SPEED_UNIT
    return dict(sorted(found.items()))


def _speeds(speeds: dict[str, float]) -> str:
    return ", ".join(f"{job} {speed:.4g}" for job, speed in speeds.items())
