# Around the sweep at the beginning of docs/clusters.md: a pipeline, two chips and two networks.
import pathlib
import shutil

import yaml

pathlib.Path("chips").mkdir()
chips, nets = ["tpu_like", "gemmini_like"], ["quantised_cnn", "alexnet"]
for chip in chips:
    shutil.copy(f"configs/accelerators/{chip}.yaml", "chips")
for network in nets:
    shutil.copy(f"configs/workloads/{network}.onnx", ".")
pipeline = {"version": 1, "parameters": {"mapping": "configs/mappings/any_unrolling.yaml", "loma_lpf_limit": 4},
            "stages": ["ONNXModelParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
                       "SpatialMappingGeneratorStage", "MinimalLatencyStage", "LomaStage", "CostModelStage"]}
pathlib.Path("pipeline.yaml").write_text(yaml.safe_dump(pipeline))

# LISTING

assert outcome.status == "done"
