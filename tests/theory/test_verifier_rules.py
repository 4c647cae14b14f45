"""Every function of the Python verifier is under a rule of ``proofs/README.md``, or needs none.

Whoever adds a function to the verifier says here which rule it applies; a new rule needs a row in
the table, and so a lemma and a test.
"""

import ast
from pathlib import Path

from tests.theory.test_proofs import rules

FOLDER = Path(__file__).resolve().parents[2] / "hadaropt" / "certificates"
JUDGES = (
    *("check", "payoffs", "covering", "options", "bounded", "tree", "ranges"),
    *("posted", "posted_tables", "posted_threshold"),
)
"""The modules that decide what a certificate proves; the others read, write, make and export."""

SLOWEST = "progress depends on the slowest type alone"
FILLING = "one choice per level: its cheapest filling, in a node or over nodes"
ONE_GPU = "a gang of one GPU is nowhere slowed"
WORKING = "what holds GPUs makes progress"
LEAN = "copies without progress are left out"
SLOWED = "a copy is as slow as a level only on a node that holds the slowest type of it"
COVERING = "covering over rounds, progress rounded up"
ANSWERS = "payoffs under answers; before the first possible completion at least a unit is missing"
NOBODY = 'nobody obeys "less than nothing", or n GPUs and not n GPUs at once'
HELD = "bounds of GPUs held"
CUTS = "cuts hold if no gangs that fit exceed them"
LEAVES = "leaves cover everything, each by its prices and cuts"
LATTICE = "bounds are lowered to multiples of the unit of all values"
RANGES = "U, m and L bound what irredundant schedules are worth and hold"
APPLYING = "a theorem applies where its hypotheses hold on the posted prices"
UNIT_DEMAND = "T9 applies where its hypotheses hold on the posted prices of one resource"
ARITHMETIC = "arithmetic: sums, comparisons, and exact numbers in other units"
FORM = "form: names, types and messages"
PLAIN = {ARITHMETIC, FORM}

APPLIES = {
    "check.Verification.proved": ARITHMETIC,
    "check.Verification.lines": FORM,
    "check.Verification.ratio": ARITHMETIC,
    "check.verify": LATTICE,
    "check.verify_noting": LATTICE,
    "check._check_guarantee": ARITHMETIC,
    "check._check_tree": LATTICE,
    "check.claimed_theorem": FORM,
    "check._claimed": FORM,
    "check.bad_schedule": FORM,
    "check._check_bound": COVERING,
    "check._payoffs": COVERING,
    "check.posted_theorem": FORM,
    "check._check_slack": ARITHMETIC,
    "payoffs.max_payoffs": COVERING,
    "payoffs._best": COVERING,
    "covering.Costs.exact": FORM,
    "covering.least_costs": COVERING,
    "covering._quantum": COVERING,
    "covering._table": COVERING,
    "covering._labels": COVERING,
    "options.ExactPrices.of": ARITHMETIC,
    "options.ExactPrices.capacity_cost": ARITHMETIC,
    "options._common_denominator": ARITHMETIC,
    "options.charged": ARITHMETIC,
    "options.fill_cost": FILLING,
    "options.levels_of": SLOWEST,
    "options.slows": SLOWED,
    "options.gang_progress": ONE_GPU,
    "options.OptionTable.__init__": FORM,
    "options.OptionTable.shape": FORM,
    "options.OptionTable.cap": COVERING,
    "options.OptionTable.options": FILLING,
    "options.OptionTable.allocations": FILLING,
    "options.OptionTable.merged": WORKING,
    "options.OptionTable._raw": FILLING,
    "options.OptionTable.relaxed": FORM,
    "options.OptionTable.surely": COVERING,
    "options.OptionTable._copy_levels": LEAN,
    "options.OptionTable._inside": FILLING,
    "options.OptionTable._anywhere": FILLING,
    "options.OptionTable.copies": LEAN,
    "options.OptionTable._relaxed_copies": FILLING,
    "bounded.bounded_allocations": HELD,
    "bounded.bounded_allocations.inside": HELD,
    "bounded._of": HELD,
    "bounded._fill": HELD,
    "tree.tree_bounds": LEAVES,
    "tree.paths": LEAVES,
    "tree._check_cut": CUTS,
    "tree.closed_sets": CUTS,
    "tree._window": NOBODY,
    "tree.Evaluator.__init__": FORM,
    "tree.Evaluator._priced": LEAVES,
    "tree.Evaluator.supply": LEAVES,
    "tree.Evaluator.payoffs": LEAVES,
    "tree.Evaluator.abilities": FORM,
    "tree.Evaluator._tolls": LEAVES,
    "tree.Evaluator._payoff": ANSWERS,
    "tree.Evaluator._limited": ANSWERS,
    "tree.Evaluator._charge": CUTS,
    "tree.Evaluator._charge.present": CUTS,
    "tree.Evaluator._charge.counted": CUTS,
    "tree.Evaluator._charge.charge": CUTS,
    "tree.Evaluator._charged": LEAVES,
    "tree._with_progress": ANSWERS,
    "ranges.ranges_of": RANGES,
    "ranges._all_hold": ARITHMETIC,
    "ranges._span": RANGES,
    "ranges._units": ARITHMETIC,
    "posted.check_name": FORM,
    "posted.check_applied": APPLYING,
    "posted._check_pooled": ONE_GPU,
    "posted._replay": APPLYING,
    "posted._value": RANGES,
    "posted_tables.check_tables": APPLYING,
    "posted_tables.least_share": ARITHMETIC,
    "posted_tables._widest": ARITHMETIC,
    "posted_tables._Share.__init__": ARITHMETIC,
    "posted_tables._Share.least": ARITHMETIC,
    "posted_tables._Share.allows": APPLYING,
    "posted_tables.check_length": FORM,
    "posted_tables._check_rows": FORM,
    "posted_tables.check_monotone": APPLYING,
    "posted_tables.check_late": APPLYING,
    "posted_tables._charges": ARITHMETIC,
    "posted_tables._steepest": ARITHMETIC,
    "posted_threshold.check_unit_table": UNIT_DEMAND,
}


def functions(node: ast.AST, prefix: str) -> list[str]:
    """The functions below a node, with the names of what they stand in."""
    found = []
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}.{child.name}"
            found += [name] if isinstance(child, ast.FunctionDef) else []
        found += functions(child, name)
    return found


def test_every_function_of_the_verifier_says_which_rule_it_applies():
    written = []
    for module in JUDGES:
        written += functions(ast.parse((FOLDER / f"{module}.py").read_text()), module)
    assert sorted(written) == sorted(APPLIES)


def test_every_module_of_certificates_is_known():
    others = {"__init__", "build", "format", "tree_document", "posted_document"}
    exported = {"coq", "coq_tokens", "coq_hints", "coq_run", "coq_unit"}
    exported |= {"coq_check", "coq_library", "coq_claim", "coq_grid", "coq_parts", "coq_tree"}
    assert {path.stem for path in FOLDER.glob("*.py")} == {*JUDGES, *others, *exported}


def test_every_rule_that_is_applied_has_a_row_and_every_row_is_applied():
    assert {row[0] for row in rules()} == set(APPLIES.values()) - PLAIN
