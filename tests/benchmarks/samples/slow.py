"""Sample that never ends."""

import time


def run(full, out):
    while True:
        time.sleep(1)
