"""Chips on which Stream's authors validate: fused layers on several cores."""
import runs
import zz
from points import Point

#: The rows that a machine is written down for, by the chip.
PIPELINES = {"DepFiN": "depfin", "DIANA": "diana"}


def points(rows):
    """Cycles of the schedule, with the cut that the authors give."""
    for row in rows:
        folder = PIPELINES.get(row["chip"])
        if folder is not None:
            pipeline = runs.read(runs.MACHINES / folder / "pipeline.yaml")
            for name in ("accelerator", "workload", "mapping"):
                pipeline["parameters"][name] = runs.MACHINES / folder / pipeline["parameters"][name]
            yield Point(folder, row["workload"], float(row["latency_cycles"]), zz.run(pipeline).latency)
