"""Tables for people are what rich would print, without its cost for each cell."""

import io
import random

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from hadaropt.cli.common.answer import Answer, Table, to_people


def by_rich(columns, rows):
    grid = RichTable(box=None, pad_edge=False)
    for name in columns:
        grid.add_column(Text(name), no_wrap=True)
    for row in rows:
        grid.add_row(*map(Text, row))
    text = io.StringIO()
    Console(file=text, width=10_000, color_system=None, force_terminal=False).print(grid)
    return "\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines())


def test_columns_are_as_wide_as_in_a_table_of_rich():
    draw = random.Random(1)
    cells = ["", "a", "job 17", "é", "节点", "[red]x[/red]", "e\u0301", "1/3", ":smile:", "  b"]
    for _ in range(60):
        columns = draw.sample(["name", "ü", "到", "value", "n"], draw.randint(1, 4))
        rows = [tuple(draw.choice(cells) for _ in columns) for _ in range(draw.randint(1, 6))]
        shown = to_people(Answer({}, [], [Table(tuple(columns), rows)]))
        assert shown == by_rich(columns, rows)
