"""Downloads public traces by name, checked by SHA-256; needs the extra ``traces`` (pooch).

Only files whose checksum is published (that of Philly by its own repository, as the oid of Git LFS)
or was taken from the whole file are listed; of the ITP archive, from files in it. openb, Helios and
Acme are public too, but come without a checksum known to us: download them from their own pages and
read the files with :func:`hadaropt.traces.read_trace`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from errno import EACCES, EDQUOT, EIO, EISDIR, ENOSPC, ENOTDIR, EROFS
from os import PathLike
from pathlib import Path
from types import ModuleType

from hadaropt.errors import MissingExtraError, TraceError, one_of, shown
from hadaropt.traces.unpacking import unpacked

_OF_THE_DISK = (EACCES, EDQUOT, EIO, ENOSPC, EROFS)
_TIMEOUT_SECONDS = 30
_MURI = "https://raw.githubusercontent.com/Rivendile/Muri/7264b1aee900029236051058242e6de6f93e166d"
_PHILLY = (
    "https://media.githubusercontent.com/media/msr-fiddle/philly-traces/"
    "9425c49842ff332bf748967fd7ff0ab64112ad10"
)
_ITP = (
    "https://raw.githubusercontent.com/microsoft/elasticflow-traces/"
    "277ed24d0e908c31a1c98145819e2e3853d8ac00"
)
_TIRESIAS = (
    "https://raw.githubusercontent.com/SymbioticLab/Tiresias/"
    "b0ef8449aaa1ad1a61b922de3ab65fd87a3dcf2e"
)
_SHOCKWAVE = (
    "https://raw.githubusercontent.com/uw-mad-dash/shockwave/"
    "e07dd205c52afe9981a4f092051c1d0f844ebf3d/scheduler/traces/reproduce"
)
_SHOCKWAVE_MIX = "0,0.5,0.5_0.6,0.3,0.09,0.01_multigpu_dynamic.trace"


@dataclass(frozen=True)
class PublicTrace:
    """A file at a public address.

    Attributes
    ----------
    name, title, licence : str
        Name to fetch it by, what it is, and the licence of its origin.
    url : str
        Address, at a fixed commit where it is a repository.
    sha256 : str or None
        Checksum of what lies there; None for an archive of which only the member's is known.
    file_name : str
        Name under which it is kept.
    member, member_sha256 : str or None
        For a tar archive, the name under which the trace in it is unpacked, and its checksum: the
        regular file of that checksum, whatever its name, or without checksum that of that name.
    """

    name: str
    title: str
    licence: str
    url: str
    sha256: str | None
    file_name: str
    member: str | None = None
    member_sha256: str | None = None

    @property
    def checksum(self) -> str:
        """The SHA-256 by which it is checked: of the whole download, else of the member."""
        return self.sha256 or self.member_sha256 or ""


PUBLIC_TRACES: tuple[PublicTrace, ...] = (
    PublicTrace(
        name="philly",
        title="Microsoft Philly 2017, the job log (117,325 jobs; 1.06 GB packed)",
        licence="CC-BY-4.0",
        url=f"{_PHILLY}/trace-data.tar.gz",
        sha256="2037ccf63a725a02be718b0e1aeee6142c90b7f62d0d849295120e9f6ba13d2c",
        file_name="philly_trace-data.tar.gz",
        member="cluster_job_log",
    ),
    PublicTrace(
        name="itp-06",
        title="Microsoft ITP 2021, cluster 06 (2,396 jobs)",
        licence="MIT",
        url=f"{_ITP}/data/raw-traces.tar.gz",
        sha256=None,
        file_name="itp_raw-traces.tar.gz",
        member="itp_cluster06.csv",
        member_sha256="52c0d9247d1de9b19a8bdafc25137daf6fa04f274ad3a2eb6dac51226ac2362e",
    ),
    PublicTrace(
        name="itp-10",
        title="Microsoft ITP 2021, cluster 10 (260 jobs)",
        licence="MIT",
        url=f"{_ITP}/data/raw-traces.tar.gz",
        sha256=None,
        file_name="itp_raw-traces.tar.gz",
        member="itp_cluster10.csv",
        member_sha256="139abea485b52090f5950d0f28d82878169df408e36052ec5c7cd04a3f3fcfa7",
    ),
    PublicTrace(
        name="tiresias-60",
        title="Tiresias, 60 jobs",
        licence="Apache-2.0",
        url=f"{_TIRESIAS}/simulator/60_job.csv",
        sha256="17575949a6e570960db42bc5576739de9c334ed4c664859841c4f01ede38bd1b",
        file_name="tiresias_60_job.csv",
    ),
    PublicTrace(
        name="muri-1",
        title="Muri, trace 1 (1,494 jobs after Philly)",
        licence="Apache-2.0",
        url=f"{_MURI}/simulator/trace-data/trace1.csv",
        sha256="534d02a4ebe53aee1f60d3fb33e3b2207550bb28813e677c962051058ebafbc5",
        file_name="muri_trace1.csv",
    ),
    PublicTrace(
        name="muri-cluster",
        title="Muri, cluster trace (400 jobs after Philly)",
        licence="Apache-2.0",
        url=f"{_MURI}/cluster_exp/trace-data/cluster_trace.csv",
        sha256="fe73b5e39c75ea73b3115d1d4fc7b19e482f7db13c1256a0756bf54bdc3befef",
        file_name="muri_cluster_trace.csv",
    ),
    PublicTrace(
        name="shockwave-120",
        title="Shockwave, 120 synthetic jobs",
        licence="MIT",
        url=f"{_SHOCKWAVE}/120_0.2_5_100_40_25_{_SHOCKWAVE_MIX}",
        sha256="f5728b8c038c330d21b98bc5930949d21769bd956e2ad457a4eb167dd33f34d6",
        file_name="shockwave_120.trace",
    ),
    PublicTrace(
        name="shockwave-220",
        title="Shockwave, 220 synthetic jobs",
        licence="MIT",
        url=f"{_SHOCKWAVE}/220_0.2_5_100_25_4_{_SHOCKWAVE_MIX}",
        sha256="85bd7d8ad42fc966b18704fdb7b23459d139d786067bd255e19dfae357dcbd1d",
        file_name="shockwave_220.trace",
    ),
    PublicTrace(
        name="shockwave-460",
        title="Shockwave, 460 synthetic jobs",
        licence="MIT",
        url=f"{_SHOCKWAVE}/460_0.2_5_100_10_1_{_SHOCKWAVE_MIX}",
        sha256="3133a1cf4f532035568d9c81cedced7822fae343973955015b2b4f15e54a327d",
        file_name="shockwave_460.trace",
    ),
    PublicTrace(
        name="pai-2020",
        title="Alibaba PAI 2020, task table (34 MB packed)",
        licence="CC-BY-4.0",
        url="https://aliopentrace.oss-cn-beijing.aliyuncs.com/v2020GPUTraces/pai_task_table.tar.gz",
        sha256="cd1d6dc3215d2a8607ccf6b6dd952b5db776df86926c73259fea7c1499ac40e5",
        file_name="pai_task_table.tar.gz",
        member="pai_task_table.csv",
        member_sha256="6954802b457305f8a9e480ef97c40060baee59649fd3adc62c5a1e048aa058de",
    ),
)


def public_trace(name: str) -> PublicTrace:
    """Return the public trace of that name.

    Raises
    ------
    TraceError
        If there is none; the message lists the names.
    """
    for entry in PUBLIC_TRACES:
        if entry.name == name:
            return entry
    names = [entry.name for entry in PUBLIC_TRACES]
    raise TraceError("name", one_of(name, names), shown(name))


def fetch_trace(
    trace: str | PublicTrace,
    *,
    directory: str | PathLike[str] | None = None,
    timeout: float = _TIMEOUT_SECONDS,
) -> Path:
    """Download a public trace unless its checked file is there already.

    Parameters
    ----------
    trace : str or PublicTrace
        Name of one of `PUBLIC_TRACES`, or an entry of your own.
    directory : path, optional
        Where to keep it; the user's cache folder by default.
    timeout : float
        Seconds without a word from the server after which it is given up, > 0.

    Returns
    -------
    Path
        The file, ready for :func:`hadaropt.traces.read_trace`.

    Raises
    ------
    TraceError
        If it cannot be downloaded (the message says where to put it by hand), or what came has
        another checksum.
    OSError
        Naming the folder, if it cannot be made or written; naming the file, if it is a folder.
    MissingExtraError
        If pooch is not installed.
    """
    pooch = _pooch()
    entry = public_trace(trace) if isinstance(trace, str) else trace
    folder = Path(pooch.os_cache("hadaropt") if directory is None else directory)
    target = folder / entry.file_name
    _check_folder(folder, target)
    try:
        found = pooch.retrieve(
            entry.url,
            known_hash=None if entry.sha256 is None else f"sha256:{entry.sha256}",
            fname=entry.file_name,
            path=folder,
            downloader=pooch.HTTPDownloader(timeout=timeout),
        )
    except OSError as error:
        if error.errno in _OF_THE_DISK:
            raise OSError(error.errno, str(error.strerror), str(folder)) from None
        raise TraceError(f"trace {entry.name}", _by_hand(entry, target, error, timeout)) from error
    except ValueError as error:
        rule = f"came with another SHA-256 than {entry.sha256}, so it was not kept"
        raise TraceError(f"trace {entry.name}", f"{rule} ({entry.url})") from error
    if entry.member is None:
        return Path(found)
    return unpacked(
        Path(found), entry.member, sha256=entry.member_sha256, archive_sha256=entry.sha256
    )


def _pooch() -> ModuleType:
    try:
        import pooch
    except ModuleNotFoundError as error:
        raise MissingExtraError("traces", "pooch") from error
    module: ModuleType = pooch
    module.get_logger().setLevel("WARNING")
    return module


def _check_folder(folder: Path, target: Path) -> None:
    """Raise OSError, naming the place, if the folder cannot be made or the target is one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(folder)) from None
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(target))


def _by_hand(entry: PublicTrace, target: Path, error: OSError, timeout: float) -> str:
    what = "that archive" if entry.sha256 is None else f"a file of SHA-256 {entry.sha256}"
    return (
        f"cannot be downloaded from {entry.url} ({_reason(error, timeout)}); "
        f"{what} put at {target} is used instead"
    )


def _reason(error: OSError, timeout: float) -> str:
    """Return why a download failed."""
    from requests import exceptions

    kind = type(error).__name__
    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        return f"the server answers {error.response.status_code} {error.response.reason}".strip()
    if isinstance(error, exceptions.ChunkedEncodingError | exceptions.ContentDecodingError):
        return f"{kind}: what came is cut short or damaged"
    if isinstance(error, exceptions.Timeout):
        return f"{kind}: no answer within {timeout:g} s"
    if isinstance(error, ValueError):
        return f"{kind}: must be an address that begins with http:// or https://"
    if isinstance(error, exceptions.ConnectionError):
        return f"{kind}: no network?"
    return f"{kind}: {error}"
