"""The small project of tests/inputs, as users of the package have it."""

import pathlib

INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"

STAGES = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
          "SpatialMappingGeneratorStage", "MinimalLatencyStage", "LomaStage", "CostModelStage"]

#: whose figures scripts of ZigZag get
COMPAT = {"compat": "zigzag-3.8.5"}


def stages(*last):
    """The default chain, with other stages in place of the innermost reducer."""
    return [*STAGES[:6], *last, *STAGES[7:]]


def parameters(**others):
    return {"workload": INPUTS / "workload.yaml", "accelerator": INPUTS / "accelerator.yaml",
            "mapping": INPUTS / "mapping.yaml", "loma_lpf_limit": 6, **others}
