"""What was measured on: the machine, in words that make two results comparable.

Not here: anything that identifies the owner (no host name, no user, no paths).
"""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """Processor, how many of its cores this process may use, memory in GiB, Python, operating system."""

    cpu: str
    cores: int
    memory_gib: float
    python: str
    platform: str


def describe_machine() -> Machine:
    """Describe the machine this process runs on."""
    return Machine(
        cpu=_cpu_model(),
        cores=_usable_cores(),
        memory_gib=_memory_gib(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=f"{platform.system()} {platform.machine()}",
    )


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        found = re.search(
            r"^model name\s*:\s*(.+)$", cpuinfo.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
        )
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine() or "unknown"


def _usable_cores() -> int:
    # A container or taskset may leave fewer cores than the machine has; those are the ones that count.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_gib() -> float:
    names: dict[str, int] = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" not in names or "SC_PAGE_SIZE" not in names:
        return 0.0
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
