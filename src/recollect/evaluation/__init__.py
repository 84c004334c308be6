"""How good are the answers, and did a change help?

Questions with known answers are asked of a fresh index, scored (`metrics`), kept as a dated file
(`results`), shown (`render`) and held against an earlier run with a paired test (`compare`).
Not here: the command line around it, and the speed of indexing at scale (`benchmarks/speed.py`).
"""

from __future__ import annotations

from recollect.evaluation.compare import Comparison, Delta, compare
from recollect.evaluation.datasets import Dataset, Question, Target, Task, load_dataset
from recollect.evaluation.machine import Machine, describe_machine
from recollect.evaluation.render import render, render_comparison
from recollect.evaluation.results import GroupRun, QueryScore, Result, read_result, write_result
from recollect.evaluation.run import MODES, SearchEngine, evaluate, evaluate_modes

__all__ = [
    "MODES",
    "Comparison",
    "Dataset",
    "Delta",
    "GroupRun",
    "Machine",
    "QueryScore",
    "Question",
    "Result",
    "SearchEngine",
    "Target",
    "Task",
    "compare",
    "describe_machine",
    "evaluate",
    "evaluate_modes",
    "load_dataset",
    "read_result",
    "render",
    "render_comparison",
    "write_result",
]
