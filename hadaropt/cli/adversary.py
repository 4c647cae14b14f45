"""``hadaropt adversary``: a small instance on which a policy is at its worst."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from hadaropt.cli.common.answer import Answer, Lines, Table, at_most, number
from hadaropt.cli.common.exits import BAD_INPUT, INTERRUPTED, LIMIT, YES
from hadaropt.cli.common.folders import check_new_folder
from hadaropt.cli.common.names import one_of
from hadaropt.cli.common.options import (
    AsJson,
    Integer,
    MaybeInteger,
    UsageError,
    as_choice,
    check_seconds,
    option,
    option_error,
    out_option,
)
from hadaropt.cli.online import FAMILIES
from hadaropt.figures import counted

if TYPE_CHECKING:
    from hadaropt.bench.adversary.archive import Find
    from hadaropt.bench.adversary.draft import Drafts
    from hadaropt.bench.adversary.judge import Judge
    from hadaropt.bench.adversary.search import Search
    from hadaropt.bench.adversary.space import Limits

HOW = (
    "the prices are told U/L = {spread}, L = 1 and m = {gang}, the limits of the search, so that "
    "the lower bound holds for every deterministic policy that commits at arrival"
)
UNTOLD = (
    "nothing, it has no prices; the limits of the search, U/L = {spread} and m = {gang}, are those "
    "of the lower bound for every deterministic policy that commits at arrival"
)


def adversary(
    *,
    policy: Annotated[
        str,
        option(
            f"The policy under attack: {', '.join(FAMILIES)}, primal_dual:PRICE with a price as "
            "for hadaropt online, or round:SCHEDULER with a name as for hadaropt simulate."
        ),
    ],
    objective: Annotated[
        Literal["ratio", "certified"],
        option("ratio: OPT/P; certified: D/P.", converter=as_choice),
    ] = "ratio",
    rival: Annotated[
        str | None,
        option("Where does this policy beat it most, instead of OPT?", default="OPT"),
    ] = None,
    budget: Annotated[
        float,
        option(
            "Length of the search.",
            name="--time-limit",
            unit="seconds",
            validator=check_seconds,
        ),
    ] = 60.0,
    evaluations: Annotated[
        MaybeInteger,
        option(
            "Stop after so many instances, whatever the clock says.",
            default="no limit",
            unit="instances",
        ),
    ] = None,
    seed: Annotated[Integer, option("Of the search.")] = 0,
    jobs: Annotated[Integer, option("At most so many.", unit="jobs")] = 10,
    rounds: Annotated[Integer, option("At most so many.", unit="rounds")] = 2,
    gpus: Annotated[Integer, option("Of each type on each node.", unit="GPUs")] = 4,
    gang: Annotated[
        MaybeInteger, option("Largest gang.", default="that of --gpus", unit="GPUs")
    ] = None,
    spread: Annotated[
        Integer, option("U/L: the largest density over the smallest.", unit="ratio")
    ] = 100,
    nodes: Annotated[Integer, option("At most so many.", unit="nodes")] = 1,
    types: Annotated[Integer, option("At most so many, 1 or 2.", unit="GPU types")] = 1,
    parallelism: Annotated[
        Literal["single_type", "mixed", "forked"],
        option("Parallelism model.", converter=as_choice),
    ] = "mixed",
    output: Annotated[
        Path | None,
        out_option("A new folder for instance, proof and facts.", default="not written"),
    ] = None,
    json: AsJson = False,
) -> Answer:
    """Search for a small instance on which a policy is at its worst, and prove its optimum.

    Evolution with local search, then shrinking. Ctrl-C keeps the worst instance so far; with
    --out it is on disk as soon as it is found. Exit code 0: found and proved. 3: found, the
    optimum is an interval, or nothing was found.
    """
    from hadaropt.bench.adversary.draft import Drafts
    from hadaropt.bench.adversary.judge import Judge
    from hadaropt.bench.adversary.search import Budget, Search
    from hadaropt.bench.adversary.space import Limits
    from hadaropt.bench.ratio.contestants import make_contestant
    from hadaropt.cli.common.progress import search_progress

    name = _policy("--policy", policy)
    opponent = None if rival is None else _policy("--rival", rival)
    if opponent is not None and objective == "certified":
        raise UsageError(f"--rival {rival}: has no place beside --objective certified")
    if evaluations is not None and evaluations < 1:
        raise UsageError(f"--evaluations {evaluations}: must be >= 1")
    if seed < 0:
        raise UsageError(f"--seed {seed}: must be >= 0")
    if output is not None and output.exists():
        raise UsageError(f"--out {output}: exists already; name a new folder")
    if output is not None:
        check_new_folder(output)
    try:
        limits = Limits(
            jobs,
            rounds,
            gpus,
            gpus if gang is None else gang,
            spread,
            nodes,
            types,
            parallelism,
        )
    except ValueError as bad:
        raise option_error(bad) from None
    judge = Judge(
        make_contestant(name),
        limits,
        objective if opponent is None else "rival",
        None if opponent is None else make_contestant(opponent),
    )
    drafts = Drafts(judge, name, opponent or "", output)
    search = Search(judge, seed, keep=drafts.keep)
    with search_progress(name, budget, lambda: drafts.told) as report:
        search.run(
            Budget(budget, evaluations),
            lambda now: report(now.judge.count, None if now.best is None else now.best.score),
        )
    return _answer(search, judge, limits, name, opponent or "", drafts)


def _policy(flag: str, text: str) -> str:
    from hadaropt.bench.ratio.contestants import contestant_names

    return one_of(flag, text.strip(), contestant_names())


def _answer(
    search: Search, judge: Judge, limits: Limits, name: str, rival: str, drafts: Drafts
) -> Answer:
    from hadaropt.bench.adversary.archive import settle, write_find
    from hadaropt.policies import PrimalDual

    finds: dict[str, Find] = {}
    for label, judged in (("worst", search.best), ("starved", search.starved)):
        if judged is not None:
            finds[label] = settle(judged, judge, name, rival)
    interrupted = search.interrupted or any(find.interrupted for find in finds.values())
    files: dict[str, str] = {}
    unsaved = drafts.failure
    for label, find in finds.items():
        folder = drafts.folder(label)
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                files |= {f"{label} {key}": path for key, path in write_find(find, folder).items()}
                drafts.settled(label)
                unsaved = None
            except OSError as bad:
                unsaved = bad
    lines: list[tuple[str, str]] = [
        ("policy", name),
        (
            "searched",
            f"{counted(judge.count, 'instance')}, {counted(search.restarts, 'population')}",
        ),
    ]
    if search.interrupted:
        lines.insert(0, ("stopped", "interrupted; the worst instance so far, not shrunk"))
    elif interrupted:
        lines.insert(0, ("stopped", "interrupted while the optimum was proved"))
    if unsaved is not None:
        earlier = "; earlier finds are" if drafts.saved or files else ""
        lines.insert(0, ("not saved", f"{unsaved.filename}: {unsaved.strerror}{earlier}"))
    tables: list[Table] = []
    for label, find in finds.items():
        lines += _lines(label, find)
        tables.append(_jobs(label, find))
    if not finds:
        lines.append(("found", "nothing within the limits and the budget"))
    attacked = (judge.policy, judge.rival)
    how = HOW if any(isinstance(one, PrimalDual) for one in attacked) else UNTOLD
    lines.append(("told", how.format(spread=limits.spread, gang=limits.gang)))
    lines += [(f"{key}", path) for key, path in files.items()]
    proved = bool(finds) and all(find.best == find.bound for find in finds.values())
    document = {
        "command": "adversary",
        "complete": not interrupted,
        "evaluations": judge.count,
        "seed": search.seed,
        "finds": {label: find.facts() for label, find in finds.items()},
        "files": files,
        "not_saved": None if unsaved is None else f"{unsaved.filename}: {unsaved.strerror}",
    }
    if unsaved is not None:
        return Answer(document, lines, tables, BAD_INPUT)
    code = INTERRUPTED if interrupted else YES if proved else LIMIT
    return Answer(document, lines, tables, code)


def _lines(label: str, find: Find) -> Lines:
    optimum = number(find.best)
    if find.best != find.bound:
        optimum += f" .. {number(find.bound, up=True)} (not proved)"
    starved = find.primal == 0
    proves = "what the policy's own prices prove" if find.priced else "what prices of zero prove"
    lines = [
        (label, "P = 0 < OPT, ratio infinite" if starved else _score(find)),
        ("  P", f"{number(find.primal)}, what the policy collects"),
        ("  OPT", f"{optimum}, the most that any schedule collects"),
        ("  D", f"{number(find.dual, up=True)}, {proves}: D >= OPT"),
    ]
    if find.rival_primal is not None:
        lines.append((f"  {find.rival}", number(find.rival_primal)))
    if find.guarantee is not None and not starved:
        lines.append(
            (f"  {find.stated_by} allows", f"OPT/P <= {at_most(find.guarantee, find.primal)} here")
        )
    if find.lower is not None:
        text = f"no deterministic policy below {float(find.lower):.4g} on this class (T9, T10, T12)"
        lines.append(("  lower bound", text))
    return lines


def _score(find: Find) -> str:
    what = {"ratio": "OPT / P", "certified": "D / P", "rival": f"{find.rival} / P"}[find.objective]
    return f"{what} = {number(Fraction(find.against, 1) / find.primal)}"


def _jobs(label: str, find: Find) -> Table:
    instance = find.instance
    rows = []
    for j, job in enumerate(instance.jobs):
        ends = (
            "-" if finish is None else str(finish)
            for finish in (find.completion[j], find.best_completion[j])
        )
        value = number(instance.value(j, job.release))
        speeds = ", ".join(f"{type_} {number(x)}" for type_, x in job.throughput.items())
        work = f"{job.iterations}, {speeds} /s"
        rows.append((job.name, str(job.release), str(job.gang_size), work, value, *ends))
    columns = (
        f"job ({label})",
        "arrives in round",
        "GPUs",
        "iterations, speed by type",
        "worth at once",
        "policy: done in round",
        "optimum: done in round",
    )
    return Table(columns, rows)
