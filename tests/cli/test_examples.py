"""An example on every page of --help."""

import shlex

import pytest

from hadaropt.cli.common.renamed import renamed
from hadaropt.cli.examples import EXAMPLES
from tests.cli.app import APP, COMMANDS, PAGES, help_text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: " ".join(path) or "hadaropt")
def test_each_page_shows_an_example_that_can_be_parsed(path):
    example = EXAMPLES[path]
    assert example in help_text(*path)
    program, *tokens = shlex.split(example)
    assert program == "hadaropt" and tuple(tokens[: len(path)]) == path
    assert renamed(tokens) == (tokens, [])
    command, _, _ = APP.parse_args(tokens, print_error=False, exit_on_error=False)
    assert command in {page.default_command for page in COMMANDS.values()}


def test_no_example_is_of_a_command_that_is_gone():
    assert set(EXAMPLES) <= set(PAGES)
