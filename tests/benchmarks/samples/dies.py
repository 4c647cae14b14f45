"""Sample whose process dies."""

import os


def run(full, out):
    os._exit(7)
