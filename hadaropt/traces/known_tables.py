"""Public files that lie beside the traces but hold no jobs: recognised, to say what they are."""

from __future__ import annotations

#: Columns of a header line, and what the file is.
WITH_HEADER: tuple[tuple[frozenset[str], str], ...] = (
    (
        frozenset({"name", "time", "application", "num_replicas", "batch_size"}),
        "a Pollux or Sia workload, which gives neither durations nor iterations",
    ),
    (
        frozenset({"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}),
        "an openb pod list without times, which describes a mix and not arrivals",
    ),
    (frozenset({"sn", "cpu_milli", "memory_mib", "gpu", "model"}), "the openb node list"),
    (
        frozenset(
            {
                "num_switch",
                "num_node_p_switch",
                "num_gpu_p_node",
                "num_cpu_p_node",
                "mem_p_node",
            }
        ),
        "a Tiresias cluster description",
    ),
    (frozenset({"machineId", "number of GPUs", "single GPU mem"}), "the Philly machine list"),
    (
        frozenset({"job_type", "scale_factor", "worker_type", "consolidated", "steps_per_s"}),
        "a throughput table",
    ),
    (frozenset({"job_id", "gpu_hours", "category"}), "a list of size classes"),
)

#: Columns that betray a file by themselves, whatever else it has.
BY_COLUMN: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"time", "machineId", "gpu0_util"}), "the Philly utilisation log"),
    (frozenset({"date", "total"}), "the Helios table of GPUs per virtual cluster"),
)

#: Number of fields without header, values of the field at a position, and what the file is.
WITHOUT_HEADER: tuple[tuple[int, int, frozenset[str], str], ...] = (
    (
        6,
        3,
        frozenset({"Running", "Terminated", "Failed", "Waiting"}),
        "the PAI job table, which has no GPUs (read the task table)",
    ),
    (
        9,
        5,
        frozenset({"Running", "Terminated", "Failed", "Waiting", "Interrupted"}),
        "the PAI instance table, which has no GPUs (read the task table)",
    ),
    (
        5,
        1,
        frozenset({"CPU", "MISC", "P100", "T4", "V100", "V100M32"}),
        "the PAI machine list",
    ),
    (
        5,
        2,
        frozenset({"CPU", "MISC", "P100", "T4", "V100", "V100M32"}),
        "the PAI group table, which says what instances run",
    ),
)
