"""The commands that the benchmark of first use reads from the documentation."""

from __future__ import annotations

from benchmarks.runtime.first_commands import PAGES, ROOT, commands, first

PAGE = """
`hadaropt never` is not in a block.

```console
$ hadaropt solve a.json -o 'my file.json'
value  3
hadaropt printed this
$ ls
```

```sh
# A comment: hadaropt no
hadaropt compare w.json \\
  --schedulers a,b  # in two lines
python -m hadaropt also
```

```python
hadaropt.solve
```
"""


def test_only_commands_of_shell_blocks_are_read() -> None:
    assert commands(PAGE) == [
        "hadaropt solve a.json -o 'my file.json'",
        "hadaropt compare w.json --schedulers a,b",
    ]


def test_each_command_once_and_in_order() -> None:
    again = "```sh\nhadaropt compare w.json --schedulers a,b\nhadaropt x\nhadaropt y\n```\n"
    two = ["hadaropt solve a.json -o 'my file.json'", "hadaropt compare w.json --schedulers a,b"]
    assert first([PAGE, again], 3) == [*two, "hadaropt x"]
    assert first([PAGE, again], 9, 1) == [two[0], two[1], "hadaropt x", "hadaropt y"]


def test_the_documentation_has_ten() -> None:
    found = first([(ROOT / page).read_text() for page in PAGES], 10)
    assert len(found) == 10
    assert found[0].startswith("hadaropt solve examples/tiny.json")
    assert {line.split()[1] for line in found} >= {"solve", "verify", "online", "simulate"}
