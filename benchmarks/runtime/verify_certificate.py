"""P12: seconds to verify a certificate without numba or a solver, T = 100 rounds.

    python -m benchmarks.runtime.verify_certificate [--jobs 100 1000 10000]

The certificate is made in this process from online prices; the verification is timed in a fresh
process, which also shows that neither numba, highspy nor scipy was loaded.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import hadaropt
from hadaropt.certificates import write_certificate
from hadaropt.generate import generate
from hadaropt.policies import PrimalDual

VERIFY = """
import json, resource, sys, time
started = time.process_time()
import hadaropt
from hadaropt.certificates import read_certificate
loaded = time.process_time()
instance = hadaropt.read_instance(sys.argv[1])
certificate = read_certificate(sys.argv[2], instance)
read = time.process_time()
verified = hadaropt.verify(instance, certificate)
done = time.process_time()
assert not {"numba", "highspy", "scipy", "pulp"} & set(sys.modules)
assert verified.value <= verified.bound
print(json.dumps({"load": loaded - started, "read": read - loaded, "verify": done - read,
    "slack": float(verified.slack / verified.bound),
    "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))
"""


def measure(family: str, jobs: int) -> dict[str, float]:
    """Return the facts of one verification in a fresh process."""
    instance = generate(family, seed=0, num_jobs=jobs, num_rounds=100, load=1.3)
    run = hadaropt.run_online(instance, PrimalDual())
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "instance.json.gz", Path(folder) / "certificate.json.gz"]
        hadaropt.write_instance(instance, files[0])
        write_certificate(hadaropt.certify(instance, run), files[1], instance)
        command = [sys.executable, "-c", VERIFY, *map(str, files)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
    facts: dict[str, float] = json.loads(answer.stdout)
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--families", nargs="+", default=["six_class", "measured_rates"])
    options = parser.parse_args()
    print(f"{'family':15} {'jobs':>6} {'read s':>7} {'verify s':>9} {'slack':>9} {'MB':>5}")
    for family in options.families:
        seconds = []
        for jobs in options.jobs:
            facts = measure(family, jobs)
            seconds.append(facts["verify"])
            print(
                f"{family:15} {jobs:6} {facts['read']:7.2f} {facts['verify']:9.2f} "
                f"{facts['slack']:9.2e} {facts['mb']:5.0f}",
                flush=True,
            )
        if len(seconds) > 1:
            span = math.log(options.jobs[-1] / options.jobs[0])
            print(f"  growth: jobs^{math.log(seconds[-1] / seconds[0]) / span:.2f}")


if __name__ == "__main__":
    main()
