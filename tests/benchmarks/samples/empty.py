"""Sample that claims nothing."""


def run(full, out):
    return []
