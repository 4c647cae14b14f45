"""The fixtures of the command line, for the tests of this folder."""

from tests.cli.conftest import instance as instance
from tests.cli.conftest import instance_file as instance_file
from tests.cli.conftest import run as run
