"""Sample whose data are absent."""

from benchmarks.paper.claims import data_folder

NEEDS = ("no/such/entry",)


def run(full, out):
    return [data_folder(*NEEDS)]
