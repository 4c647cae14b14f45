"""The whole command line, and the text of its pages."""

import io

from rich.console import Console

from hadaropt.cli.entry import make_app, pages

APP = make_app()
PAGES = dict(pages(APP))
COMMANDS = {path: page for path, page in PAGES.items() if page.default_command is not None}


def help_text(*path: str) -> str:
    text = io.StringIO()
    APP.help_print(list(path), console=Console(file=text, width=500))
    return text.getvalue()
