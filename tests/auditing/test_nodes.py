"""Node lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.auditing.nodes import read_nodes
from hadaropt.errors import TraceError


def test_node_lists_of_openb_philly_and_pai(tmp_path: Path) -> None:
    openb = tmp_path / "openb.csv"
    openb.write_text("sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\nb,1,1,8,V100M32\n")
    assert read_nodes(openb).pooled_capacity == (8,)
    philly = tmp_path / "philly.csv"
    philly.write_text("machineId,number of GPUs, single GPU mem\nm1,2, 12GB\nm2,8, 24GB\n")
    assert read_nodes(philly).accelerators == ("12GB", "24GB")
    pai = tmp_path / "pai_machine_spec.csv"
    rows = "75c5,CPU,96,512,0\nc3ee,P100,64,512,2\ncf2b,V100M32,96,384,8\n"
    for header in ("", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n"):
        pai.write_text(header + rows)
        assert read_nodes(pai).gpus_by_type == {"P100": 2, "V100M32": 8}
    philly.write_text("a,b\n1,2\n")
    with pytest.raises(TraceError, match="must be a node list"):
        read_nodes(philly)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (f"b,1,1,{'9' * 24},T4", r"^openb\.csv line 4: gpu = 9{24}, must be <= 2147483647"),
        (",1,1,2,T4", r"^openb\.csv line 4 = \"\", must be a non-empty string"),
    ],
)
def test_what_no_cluster_can_hold_is_placed_in_the_file(
    row: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "openb.csv"
    path.write_text(f"sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\na2,1,1,2,T4\n{row}\n")
    with pytest.raises(TraceError, match=says):
        read_nodes(path)
