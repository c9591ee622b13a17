"""The installed schema of pipeline files accepts every example and refuses mistakes; with a plugin it knows its stages.

usage: schema.py FOLDER ZZ_HOST PLUGIN STAGE
"""
import json
import pathlib
import subprocess
import sys

SKIPPED = 77
try:
    import jsonschema
except ImportError:
    print("skipped: this Python has no jsonschema (Debian: python3-jsonschema)")
    sys.exit(SKIPPED)
import yaml

folder, host, plugin, stage = sys.argv[1:]
share = pathlib.Path(folder).resolve() / "zz/share/zz"
schema = json.loads((share / "configs/schemas/zz-pipeline.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
known = jsonschema.Draft202012Validator(schema)

pipelines = sorted((share / "configs/pipelines").glob("*.yaml"))
assert len(pipelines) > 5
for path in pipelines:
    wrong = [f"{list(error.path)}: {error.message}" for error in known.iter_errors(yaml.safe_load(path.read_text()))]
    assert not wrong, f"{path.name}: {wrong}"


def pipeline(*stages, **more):
    return {"version": 1, "stages": [*stages, "CostModelStage"], **more}


assert known.is_valid(pipeline({"SpatialMappingGeneratorStage": {"nb_mappings_generated": 2, "x-why": "a note"}}))
assert known.is_valid(pipeline({"IntraCoreMappingStage": {"stages": ["MinimalEnergyStage", "LomaStage", "CostModelStage"]}}))
for wrong in (pipeline("MinimalEnergieStage"),
              pipeline({"SpatialMappingGeneratorStage": {"nb_mappings_generated": "two"}}),
              pipeline({"SpatialMappingGeneratorStage": {"nb_mappings": 2}}),
              pipeline({"IntraCoreMappingStage": {"stages": ["MinimalEnergieStage"]}}),
              pipeline("LomaStage", version=2), pipeline("LomaStage", stags=[]), {"version": 1},
              pipeline("LomaStage", parameters={"loma_lpf_limit": "six"})):
    assert not known.is_valid(wrong), wrong

# The stages of others, once their plugin is named.
assert not known.is_valid(pipeline(stage))
printed = subprocess.run([host, "schema", "--plugin", plugin], capture_output=True, text=True, check=True).stdout
assert jsonschema.Draft202012Validator(json.loads(printed)).is_valid(pipeline(stage))
examples = sorted((share / "examples").glob("*/pipeline.yaml"))
print(f"{len(pipelines)} pipelines are valid; {len(examples)} examples have stages of their own")
