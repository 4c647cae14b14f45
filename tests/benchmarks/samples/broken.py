"""Sample that fails."""


def run(full, out):
    raise ValueError("gone wrong")
