"""Exit codes of the command line."""

YES = 0
"""Solved, feasible or verified."""
NO = 1
"""A valid no: the schedule is infeasible, the certificate is rejected."""
USAGE = 2
"""The command was not called as it must be."""
LIMIT = 3
"""A limit was reached without proof; the answer is printed all the same."""
BAD_INPUT = 4
"""An input file cannot be read or breaks a rule of its format, or is too large for the method."""
BREACH = 5
"""A defect: an invariant is broken, or a solver returned something that is no answer."""
INTERRUPTED = 130
"""Ctrl-C."""
TERMINATED = 143
"""SIGTERM, which is answered as Ctrl-C is."""
