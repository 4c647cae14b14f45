"""Survivors that no test can or need tell from the original, each with the reason.

Keys are a function and the beginning of a change. A key of a mere number covers all equal changes
of that function: look at the line before believing it.
"""

from __future__ import annotations

SPEED = "the same answer, sooner or later: a shortcut, a kept result or a pruned choice"
SLICE = "the rounds are cut to the horizon anyway"
GROUP = "all members of a group are alike in this"
UNUSED = "the value is not used where it differs, or is replaced before it is used"
SAME = "both are the same number, set or array here"
FREE = "nothing is added: a charge of 0, a progress of 0, or a choice that another one dominates"
EMPTY = "only of no jobs, no prices or no rounds, where everything is 0"
CLOSED = "the round is then closed by the costs, with the same outcome"

_REASONS: dict[str, dict[str, tuple[str, ...]]] = {
    "_payoffs": {SPEED: ("if not doubtful",)},
    "max_payoffs": {
        SLICE: (
            "if job.release < instance.num_rounds",
            "job.release < instance.num_rounds",
            "instance.num_rounds - 1",
            "1  ->  0",
        ),
        GROUP: ("j in relaxed", "0  ->  -1"),
        SPEED: ("if worth == 0",),
        SAME: ("if not found.exact",),
    },
    "_best": {
        SPEED: ("if cost >= last", "cost >= last", "if value <= best", "value <= best", "break")
    },
    "ExactPrices.of": {EMPTY: ("0  ->", "1  ->  2"), SAME: ("4  ->",)},
    "ExactPrices.capacity_cost": {EMPTY: ("(self.units", "0  ->")},
    "fill_cost": {SPEED: ("if len(capacity) == 1", "1  ->  0"), SAME: ("0  ->  -1", "'stable'")},
    "levels_of": {FREE: ("for r, x in enumerate", "x > 0", "0  ->  -1")},
    "OptionTable.__init__": {SPEED: ("(h, *row) if prices.by_node else row  ->  (h, *row)",)},
    "OptionTable.options": {SPEED: ("if key not in",)},
    "OptionTable.allocations": {SPEED: ("if key not in",)},
    "OptionTable.merged": {EMPTY: ("np.zeros",)},
    "OptionTable._raw": {
        FREE: (
            "if whole[r] > apart[r]",
            "whole[r] > apart[r]",
            "if instance.max_copies",
            "2  ->  1",
        )
    },
    "OptionTable._inside": {SPEED: ("if key not in",)},
    "OptionTable._anywhere": {SPEED: ("if key not in",), SAME: ("1  ->  2",)},
    "OptionTable.copies": {FREE: ("2  ->  1",)},
    "charged": {SPEED: ("if more",)},
    "bounded_allocations": {
        FREE: ("if whole[r] > apart[r]", "whole[r] > apart[r]", "if most < 2", "2  ->  1")
    },
    "_fill": {SAME: ("0  ->  -1",)},
    "least_costs": {
        SLICE: ("1  ->  2",),
        SPEED: ("if -(-max(needs)", "-(-max(needs)", "-max(needs) // divisor", "max  ->  min"),
    },
    "_labels": {
        SPEED: ("if price >= least", "price >= least", "spent[1:] < lowest", "len(progress) > MAX"),
        SAME: ("0  ->",),
    },
    "_parse": {UNUSED: ("0  ->",)},
    "_Parser.__init__": {UNUSED: ("0  ->",)},
    "_Parser.parse": {SAME: ("0  ->  -1",)},
    "_Parser.decision": {UNUSED: ("0  ->",)},
    "tree_bounds": {UNUSED: ("certificate.tree or", "isinstance(written")},
    "_check_cut": {
        EMPTY: ("0  ->",),
        SPEED: ("if not any((coefficients",),
        FREE: ("a == 0 or any",),
    },
    "_window": {SAME: ("1  ->  0",), CLOSED: ("if any((at_least", "at_least[t] >= below[t]")},
    "Evaluator._priced": {
        EMPTY: ("0  ->",),
        SPEED: ("if key not in", "if len(self._tables)", "len(self._tables)"),
    },
    "Evaluator.payoffs": {SPEED: ("if j not in answers", "if key not in")},
    "Evaluator._tolls": {FREE: ("if a and price", "a and price")},
    "Evaluator._payoff": {
        SLICE: ("if job.release >=", "job.release >=", "instance.num_rounds - 1", "1  ->  0"),
        SAME: ("0  ->",),
    },
    "Evaluator._limited": {
        SPEED: ("if tolls", "if not window.at_least"),
        SAME: ("0  ->",),
    },
    "Evaluator._charged": {SPEED: ("if copies and", "2  ->  1")},
    "_with_progress": {
        FREE: ("for gain in gains", "gain > 0", "0  ->"),
        SPEED: ("if len(values)",),
    },
}


def reason(function: str, change: str) -> str | None:
    """Return why a survivor is none, or None."""
    for why, starts in _REASONS.get(function, {}).items():
        if change.startswith(starts):
            return why
    return None
