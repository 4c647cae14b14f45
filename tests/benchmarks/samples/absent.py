"""Sample whose data are absent."""

from benchmarks.paper.claims import data_folder


def run(full, out):
    return [data_folder("no/such/entry")]
