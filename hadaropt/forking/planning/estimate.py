"""The speed of a job on a GPU before it was ever measured there.

Ingredients after HadarE (arXiv 2503.10918), which gives no coefficients:
X = kappa_family PMI_g B^b P_g^p / complexity. Here PMI_g, the performance-memory index, is the
geometric mean of peak FP32 TFLOP/s and memory bandwidth, B the batch size, P_g the bandwidth of
PCIe; PMI and P are relative to a V100. kappa, b and p are fitted by least squares in logarithms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt

from hadaropt.errors import InstanceError, shown
from hadaropt.traces.throughputs import measured

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Gpu:
    """Public figures of a GPU: peak FP32 TFLOP/s, memory GB/s, PCIe GB/s in one direction."""

    tflops: float
    memory: float
    pcie: float


GPUS: Mapping[str, Gpu] = {
    "K80": Gpu(4.37, 240, 15.75),  # one of the two GPUs of a board
    "P100": Gpu(9.3, 732, 15.75),
    "V100": Gpu(14.0, 900, 15.75),
    "T4": Gpu(8.1, 320, 15.75),
    "T400": Gpu(1.09, 80, 15.75),
    "RTX A2000": Gpu(8.0, 288, 31.5),
    "Titan RTX": Gpu(16.3, 672, 15.75),
    "RTX 3090": Gpu(35.6, 936, 31.5),
}
"""From NVIDIA's data sheets (PCIe boards; boost clock). PCIe 3.0 x16 is 15.75 GB/s, 4.0 31.5."""
REFERENCE = GPUS["V100"]

COMPLEXITY = {"ResNet-18": 0.56, "ResNet-50": 3.8}
"""GFLOP per sample, where a family has several models: ResNet-18 on 32 x 32 pixels, ResNet-50 on
224 x 224 (He et al. 2016). Elsewhere kappa of the family holds it, so that it is 1."""


@dataclass(frozen=True)
class Measurement:
    """One measured speed, iterations per second of one GPU."""

    model: str
    family: str
    batch: int
    complexity: float
    gpu: str
    speed: float


@dataclass(frozen=True)
class SpeedModel:
    """Fitted coefficients.

    Attributes
    ----------
    log_kappa : mapping of str to float
        By family.
    batch_power, pcie_power : float
        b and p.
    unidentified : tuple of str
        Coefficients that the measurements do not determine (set to 0): p, if all their GPUs have
        the same PCIe.
    """

    log_kappa: Mapping[str, float]
    batch_power: float
    pcie_power: float
    unidentified: tuple[str, ...]

    def speed(self, family: str, batch: int, complexity: float, gpu: str) -> float:
        """Return the estimated iterations per second on one GPU.

        A family without measurements gets the mean log kappa of the others.

        Raises
        ------
        InstanceError
            If the GPU is unknown, or batch size or complexity is not > 0.
        """
        if gpu not in GPUS:
            raise InstanceError("gpu", f"must be one of {', '.join(GPUS)}", shown(gpu))
        if batch < 1:
            raise InstanceError("batch", "must be >= 1", str(batch))
        if not complexity > 0:
            raise InstanceError("complexity", "must be > 0", str(complexity))
        known = self.log_kappa
        kappa = known.get(family, sum(known.values()) / len(known))
        logs = kappa + self.batch_power * math.log(batch) - math.log(complexity)
        logs += math.log(performance_memory_index(gpu)) + self.pcie_power * math.log(_pcie(gpu))
        return math.exp(logs)

    def speeds(self, model: str, accelerators: Sequence[str]) -> tuple[Fraction, ...]:
        """Return estimates for a model named as in the shipped table, shape (R,)."""
        name, family, batch = describe(model)
        complexity = COMPLEXITY.get(name, 1.0)
        return tuple(
            Fraction(repr(float(f"{self.speed(family, batch, complexity, gpu):.4g}")))
            for gpu in accelerators
        )


def describe(model: str) -> tuple[str, str, int]:
    """Return model, family and batch size of a name like ``ResNet-50 (batch size 64)``.

    >>> describe("ResNet-50 (batch size 64)"), describe("A3C")
    (('ResNet-50', 'ResNet', 64), ('A3C', 'A3C', 1))
    """
    found = re.fullmatch(r"(.+) \(batch size ([1-9][0-9]{0,8})\)", model)
    name, batch = (found[1], int(found[2])) if found else (model, 1)
    return name, name.partition("-")[0], batch


def measurements() -> list[Measurement]:
    """Return the shipped measurements on one GPU; models that cannot run there are left out."""
    table, rows = measured(), []
    for label in table.model_types(1):
        name, family, batch = describe(label)
        complexity = COMPLEXITY.get(name, 1.0)
        for gpu, speed in table.throughput(label, 1).items():
            if speed > 0:
                rows.append(Measurement(name, family, batch, complexity, gpu, float(speed)))
    return rows


def fit_speeds(rows: Iterable[Measurement]) -> SpeedModel:
    """Fit kappa, b and p by least squares in logarithms.

    Raises
    ------
    InstanceError
        If there are no measurements.
    """
    data = list(rows)
    if not data:
        raise InstanceError("measurements", "must not be empty", "[]")
    families = sorted({row.family for row in data})
    design = np.zeros((len(data), len(families) + 2))
    target = np.empty(len(data))
    for i, row in enumerate(data):
        design[i, families.index(row.family)] = 1.0
        design[i, -2:] = math.log(row.batch), math.log(_pcie(row.gpu))
        target[i] = math.log(row.speed * row.complexity / performance_memory_index(row.gpu))
    # A column in the span of the others is not identified: it is left out.
    free = [k for k in (-2, -1) if _adds_rank(design, k)]
    columns = [*range(len(families)), *(design.shape[1] + k for k in free)]
    found, *_ = np.linalg.lstsq(design[:, columns], target, rcond=None)
    power = dict(zip(free, found[len(families) :].tolist(), strict=True))
    kappa = dict(zip(families, found[: len(families)].tolist(), strict=True))
    missing = tuple(name for name, k in (("b", -2), ("p", -1)) if k not in power)
    return SpeedModel(kappa, power.get(-2, 0.0), power.get(-1, 0.0), missing)


@cache
def fitted() -> SpeedModel:
    """Return the model fitted to all shipped measurements."""
    return fit_speeds(measurements())


@dataclass(frozen=True)
class HeldOut:
    """How well speeds are estimated that the fit has not seen.

    Attributes
    ----------
    typical_factor, worst_factor : float
        exp of the mean and of the largest |log(estimated / measured)|.
    rank_correlation : float
        Spearman's, over all held-out speeds.
    """

    typical_factor: float
    worst_factor: float
    rank_correlation: float


def leave_one_out(rows: Sequence[Measurement], key: Callable[[Measurement], object]) -> HeldOut:
    """Fit without each group of measurements in turn and estimate it.

    Parameters
    ----------
    key : callable
        What is held out together: ``lambda row: row.model`` or ``lambda row: row.gpu``.
    """
    from scipy.stats import spearmanr

    known, guessed = [], []
    for group in dict.fromkeys(map(key, rows)):
        model = fit_speeds(row for row in rows if key(row) != group)
        for row in rows:
            if key(row) == group:
                known.append(row.speed)
                guessed.append(model.speed(row.family, row.batch, row.complexity, row.gpu))
    errors = np.abs(np.log(np.array(guessed) / np.array(known)))
    rank = float(spearmanr(known, guessed).statistic)
    return HeldOut(math.exp(float(errors.mean())), math.exp(float(errors.max())), rank)


def performance_memory_index(gpu: str) -> float:
    """PMI_g, relative to the reference."""
    own = GPUS[gpu]
    return math.sqrt(own.tflops / REFERENCE.tflops * own.memory / REFERENCE.memory)


def _pcie(gpu: str) -> float:
    return GPUS[gpu].pcie / REFERENCE.pcie


def _adds_rank(design: Floats, column: int) -> bool:
    rest = np.delete(design, design.shape[1] + column, axis=1)
    return bool(np.linalg.matrix_rank(design) > np.linalg.matrix_rank(rest))
