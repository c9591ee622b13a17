"""zz: a design-space explorer for deep-learning accelerators.

    import zz
    results = zz.run("pipeline.yaml", accelerator="chip.yaml", loma_lpf_limit=6)
    print(results.energy, results.latency)   # pJ, cycles

Energy is in pJ, time in cycles, sizes in bits.
"""

from zz._zz import Value, make, version as __version__
from zz.accelerator import Accelerator
from zz.calibration import calibrate
from zz.comparison import Comparison, SideBySide, compare
from zz.components import cost
from zz.data import cmake_dir, configs
from zz.errors import Cancelled, Error, InputError, NoResult, NotFound, PluginError, StageError, TimedOut, WorkerLost
from zz.exploration import Exploration, explore
from zz.mapping import default_pipeline, map
from zz.mapping_file import Mapping
from zz.outcome import Outcome
from zz.pipelines import Run, iterate, run
from zz.results import Result, Results
from zz.searches import fused, optimum, schedule
from zz.space import Space
from zz.stage import Metric, Scorer, Setting, Stage, point
from zz.stage_list import stages
from zz.sweep import Sweep, sweep
from zz.workload import Workload

# Not `map`: `from zz import *` would hide Python's.
__all__ = ["Accelerator", "Cancelled", "Comparison", "Error", "Exploration", "InputError", "Mapping", "Metric",
           "NoResult", "NotFound", "Outcome", "PluginError", "Result", "Results", "Run", "Scorer", "Setting",
           "SideBySide", "Space", "Stage", "StageError", "Sweep", "TimedOut", "Value", "WorkerLost", "Workload",
           "calibrate", "cmake_dir", "compare", "configs", "cost", "default_pipeline", "explore", "fused", "iterate",
           "make", "optimum", "point", "run", "schedule", "stages", "sweep"]
