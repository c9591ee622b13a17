"""usage: archive.py FOLDER

The Python reader of the installed package: what it finds in an archive is what the host wrote elsewhere.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
try:
    import google.protobuf  # noqa: F401
except ImportError:
    print("skipped: this Python has no protobuf (Debian: python3-protobuf)")
    sys.exit(SKIPPED)
if not shutil.which("protoc"):
    print("skipped: this machine has no protoc")
    sys.exit(SKIPPED)

installed = pathlib.Path(sys.argv[1]).resolve() / "zz"
share = installed / "share/zz"
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    shutil.copytree(share / "examples/inputs", folder, dirs_exist_ok=True)
    (folder / "pipeline.yaml").write_text("""version: 1
parameters: {workload: workload.yaml, accelerator: accelerator.yaml, mapping: mapping.yaml, dump_folder: out}
stages: [WorkloadParserStage, AcceleratorParserStage, PickleSaveStage: {pickle_filename: layers.zz}, SumStage, WorkloadStage,
         CompleteSaveStage, MinimalEnergyStage, DumpStage: {dump_filename_pattern: all.zz}, SpatialMappingGeneratorStage,
         LomaStage, CostModelStage]
""")
    subprocess.run([installed / "bin/zz-host", "pipeline.yaml"], cwd=folder, check=True)
    subprocess.run(["protoc", f"--proto_path={share}", f"--python_out={folder}", "zz_archive.proto"], check=True)
    sys.path[:0] = [str(folder), str(share)]
    sys.dont_write_bytecode = True
    import read_archive

    layers = list(read_archive.results(folder / "layers.zz"))
    assert layers
    for evaluation, extra in layers:
        assert extra is None
        saved = json.loads((folder / "out" / f"{evaluation.layer.name.replace('/', '_')}_complete.json").read_text())
        outputs, inputs = saved["outputs"], saved["inputs"]
        assert evaluation.energy_total == outputs["energy"]["energy_total"]
        assert evaluation.latency_total0 == outputs["latency"]["computation"]
        assert math.isclose(evaluation.ideal_cycle / evaluation.latency_total2,
                            outputs["spatial"]["mac_utilization"]["stalls_onloading_offloading"])
        for operand in evaluation.operands:
            assert [level.accesses for level in operand.levels] == outputs["memory"]["word_accesses"][operand.operand]
            assert [level.energy for level in operand.levels] == \
                outputs["energy"]["memory_energy_breakdown_per_level"][operand.operand]
        assert {loop.name: loop.size for loop in evaluation.layer.loops} == inputs["layer"]["loop_dimensions"]
        loops = [f"({loop.dimension}, {loop.size})" for loop in evaluation.temporal_mapping.loops]
        for levels in inputs["temporal_mapping"].values():
            assert sum(levels, []) == loops

    dumped = list(read_archive.results(folder / "all.zz"))
    assert len(dumped) > 10
    assert min(e.energy_total for e, _ in dumped) == layers[-1][0].energy_total
    assert all(e.accelerator == dumped[0][0].accelerator for e, _ in dumped)
    assert all(extra[1][0].zz_type == "temporal_mapping" for _, extra in dumped)

    whole = (folder / "layers.zz").read_bytes()
    for broken in (whole[:-1], whole[:len(whole) // 2], b"no archive"):
        (folder / "broken.zz").write_bytes(broken)
        try:
            list(read_archive.results(folder / "broken.zz"))
        except ValueError as error:
            print(error)
        else:
            sys.exit("a broken archive was read")
print(f"{len(layers)} layers and {len(dumped)} results agree")
