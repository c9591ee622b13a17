#!/usr/bin/env python3
"""usage: update_docs.py ZZ_HOST [--check]

Writes what follows from the program and its sources: docs/stages/*.md, one page for each stage; the tables of context keys and metrics in
docs/values.md; the map from stages to files and the rooms of the core in docs/design.md; the schemas of input files in
configs/schemas. With --check it only compares.
"""
import json
import pathlib
import subprocess
import sys

host = sys.argv[1]
check = "--check" in sys.argv[2:]
root = pathlib.Path(__file__).resolve().parent.parent
folder = root / "docs/stages"

# Where the work of a stage is done: the files to open, the most important one first.
STAGE_SOURCES = {
    "AccelForgeStage": ["plugins/other_tools/accelforge_workload.cpp", "plugins/other_tools/accelforge_architecture.cpp",
                        "plugins/other_tools/level_stack.cpp"],
    "AcceleratorParserStage": ["core/input/zigzag/accelerator_yaml.cpp", "core/input/stream/multi_core_yaml.cpp"],
    "CacheBeforeYieldStage": ["plugins/iterate/cache_before_yield_stage.cpp"],
    "CompleteSaveStage": ["core/output/json/evaluation_json.cpp", "core/output/json/schedule_json.cpp"],
    "ComponentCostStage": ["core/components/filled_costs.cpp", "core/components/memory_cost.cpp", "core/components/arithmetic_cost.cpp",
                           "plugins/components/cacti.cpp"],
    "CostModelStage": ["core/cost/cost_model.cpp", "core/cost/boundary_cost.cpp", "core/cost/latency.cpp"],
    "DetermineHintLoopsStage": ["core/multicore/graph/layer_stacks.cpp"],
    "DetermineLayerStacksStage": ["core/multicore/graph/layer_stacks.cpp"],
    "DetermineSchedulingOrderStage": ["core/multicore/graph/layer_stacks.cpp"],
    "DumpStage": ["core/output/archive/archive.cpp"],
    "ExploitInterLayerDataLocalityStage": ["core/search/locality/unused_memories.cpp"],
    "ExplorationStage": ["plugins/explore/exploration_stage.cpp", "plugins/explore/exploration.cpp", "plugins/explore/proof.cpp",
                         "core/exploration/design_space.cpp", "core/store/result_store.cpp"],
    "GenerateCNWorkloadHybridStage": ["core/multicore/graph/split.cpp", "core/multicore/graph/cut.cpp"],
    "GeneralParameterIteratorStage": ["plugins/explore/general_parameter_iterator_stage.cpp", "core/exploration/design_space.cpp"],
    "HardwareOptimizerStage": ["plugins/explore/hardware_optimizer_stage.cpp", "plugins/explore/design_points.cpp", "plugins/explore/hardware_table.cpp"],
    "InterCoreMappingStage": ["core/multicore/search/schedule_search.cpp", "core/multicore/schedule/scheduler.cpp", "core/multicore/check/violations.cpp"],
    "IntraCoreMappingStage": ["plugins/stream/intra_core_mapping_stage.cpp", "core/multicore/schedule/core_costs.cpp",
                              "core/multicore/schedule/exchanges.cpp"],
    "LayerSplittingStage": ["core/input/onnx/layer_splitting.cpp"],
    "LeakageStage": ["plugins/components/leakage_stage.cpp"],
    "ListifyStage": ["plugins/reduce/listify_stage.cpp"],
    "MinimalEDPStage": ["plugins/reduce/minimal_stages.cpp"],
    "MinimalEnergyStage": ["plugins/reduce/minimal_stages.cpp"],
    "MinimalLatencyStage": ["plugins/reduce/minimal_stages.cpp"],
    "MinimalMetricStage": ["plugins/reduce/minimal_stages.cpp"],
    "MultiProcessingGatherStage": ["plugins/iterate/multi_processing_gather_stage.cpp"],
    "MultiProcessingSpawnStage": ["plugins/iterate/multi_processing_spawn_stage.cpp"],
    "ONNXModelParserStage": ["core/input/onnx/detail/graph_evaluation.cpp", "core/input/onnx/workload.cpp"],
    "OptimalFusedMappingStage": ["core/search/fused/fused_search.cpp", "core/search/fused/detail/fused_join.cpp", "core/search/fused/detail/tile_summaries.cpp", "core/search/fused/fused_check.cpp", "core/search/fused/tensors_left.cpp", "plugins/optimal/fused_groups_file.cpp"],
    "OptimalMappingStage": ["core/search/optimal/optimal_joint_mapping.cpp"],
    "OptimalTemporalMappingStage": ["core/search/optimal/optimal_temporal_mapping.cpp"],
    "PEArrayScalingStage": ["plugins/iterate/array_scaling.cpp"],
    "PickleSaveStage": ["core/output/archive/archive.cpp"],
    "PlotTemporalMappingsStage": ["core/output/loop_nest.cpp", "plugins/plot/plot_files.cpp"],
    "PythonStage": ["plugins/python/plugin.cpp", "host/bindings/python/native/python_stages.cpp"],
    "RemoveExtraInfoStage": ["plugins/iterate/remove_extra_info_stage.cpp"],
    "SalsaStage": ["core/search/salsa/salsa.cpp"],
    "ScaleSimStage": ["plugins/other_tools/scale_sim_topology.cpp", "plugins/other_tools/scale_sim_config.cpp"],
    "SearchHintLoopsStage": ["core/multicore/search/schedule_search.cpp"],
    "SearchInterLayerDataLocalityStage": ["core/search/locality/locality_search.cpp"],
    "ServingTablesStage": ["plugins/transformer/shard.cpp", "plugins/transformer/serving_plan.cpp", "plugins/transformer/serving_costs.cpp",
                           "plugins/transformer/bundle_files.cpp"],
    "SimpleSaveStage": ["core/output/json/evaluation_json.cpp"],
    "SkipIfDumpExistsStage": ["core/output/archive/archive.cpp"],
    "SpatialMappingConversionStage": ["core/search/spatial/spatial_conversion.cpp"],
    "SpatialMappingGeneratorStage": ["core/search/spatial/spatial_generator.cpp", "core/search/spatial/spatial_space.cpp"],
    "StreamONNXModelParserStage": ["core/input/onnx/workload.cpp", "core/input/onnx/detail/data_flow.cpp"],
    "SumStage": ["core/cost/evaluation.cpp"],
    "TemporalMappingGeneratorStage": ["core/search/loma/loma.cpp", "core/search/loma/detail/cool_lex_orders.cpp", "core/search/temporal/loop_allocator.cpp"],
    "TemporalOrderingConversionStage": ["core/search/temporal/user_ordering.cpp"],
    "TimeloopStage": ["plugins/other_tools/timeloop_problem.cpp", "plugins/other_tools/timeloop_architecture.cpp",
                      "plugins/other_tools/timeloop_mapping.cpp", "plugins/other_tools/level_stack.cpp"],
    "TransformerWorkloadStage": ["plugins/transformer/decoder_config.cpp", "plugins/transformer/step_builder.cpp",
                                 "plugins/transformer/decoder_figures.cpp"],
    "UserDefinedModelParserStage": ["core/input/zigzag/workload_yaml.cpp"],
    "VisualizationStage": ["plugins/pictures/result_tables.cpp", "plugins/pictures/hierarchy_picture.cpp", "plugins/plot/plot_files.cpp"],
    "WorkloadParserStage": ["core/input/zigzag/workload_yaml.cpp"],
    "WorkloadStage": ["plugins/workload/workload_stage.cpp", "core/workload/workload.cpp", "core/hardware/layer_fit.cpp"],
}


def ask(*words):
    return subprocess.run([host, *words], check=True, capture_output=True, text=True).stdout


def links(names, folder="stages"):
    return ", ".join(f"[{name}]({folder}/{name}.md)" for name in sorted(names)) or "-"


def vocabulary(stages):
    """The tables of docs/values.md: who hands down and who takes each context key, and who sets each metric."""
    keys, metrics = {}, {}
    for stage in stages:
        taken = {port["key"] for port in stage["consumes"]}
        for direction in ("provides", "consumes"):
            for port in stage[direction]:
                key = keys.setdefault(port["key"], {"types": set(), "docs": [], "provides": set(), "consumes": set(), "settings": set()})
                key["types"].add(port["type"])
                # Where it comes from says best what it is.
                key["docs"].append((port["key"] in taken, port["doc"].startswith("in `"), stage["name"], port["doc"]))
                key[direction].add(stage["name"])
        for metric in {*stage["writes"], *(described["name"] for described in stage["metrics"])}:
            metrics.setdefault(metric, set()).add(stage["name"])
    for stage in stages:
        for setting in stage["settings"]:
            for name in keys.keys() & {setting["name"], *setting["aliases"]}:
                keys[name]["settings"].add(stage["name"])

    text = "\n| context key | type | what | handed down by | taken by | a setting of |\n|---|---|---|---|---|---|\n"
    for name in sorted(keys, key=lambda name: (name == "*", name)):
        key = keys[name]
        what = "whatever the settings of the stage name" if name == "*" else min(key["docs"])[3]
        types = " or ".join(f"`{t}`" if t in object_types else t for t in sorted(key["types"]))
        people = " | ".join(links(key[role]) for role in ("provides", "consumes", "settings"))
        text += f"| `{name}` | {types} | {what} | {people} |\n"
    if not metrics:
        return text + "\nThe metrics of the built-in stages are the fields of [`evaluation`](#evaluation); none of them adds another.\n\n"
    text += "\nBesides the fields of [`evaluation`](#evaluation) there are these metrics:\n\n| metric | set by |\n|---|---|\n"
    for name in sorted(metrics):
        text += f"| {'any' if name == '*' else f'`{name}`'} | {links(metrics[name])} |\n"
    return text + "\n"


def source_links(files, up):
    """The files as links from a page that lies `up` folders below the root."""
    return ", ".join(f"[`{file}`]({'../' * up}{file})" for file in files)


def stage_page(name):
    files = STAGE_SOURCES.get(name)
    if not files:
        sys.exit(f"{name}: tools/update_docs.py does not say where the work of this stage is done")
    return ask("describe", name, "--format=md").rstrip("\n") + "\n\n## Where the work is done\n\n" + "".join(f"- {source_links([file], 2)}\n" for file in files)


def between_marks(text, what, made):
    """The text with the part between the marks of that name replaced."""
    before, begin, rest = text.partition(f"<!-- Made by tools/update_docs.py: {what} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not end:
        sys.exit(f"there is no place for the {what}")
    return before + begin + made + end + after


def map_of_stages(names):
    text = "\n| stage | does its work in |\n|---|---|\n"
    return text + "".join(f"| [{name}](stages/{name}.md) | {source_links(STAGE_SOURCES[name], 1)} |\n" for name in names) + "\n"


def map_of_rooms():
    graph = subprocess.run([sys.executable, "tests/architecture/rooms.py", "--graph"], cwd=root, check=True, capture_output=True, text=True).stdout
    return f"\n```\n{graph}```\n\n"


def index_of_stages(stages):
    """Every name that a pipeline may use, with the page of the stage."""
    rows = [(name, stage) for stage in stages for name in [stage["name"], *stage["aliases"]]]
    text = "# Stages\n\n| name in a pipeline | |\n|---|---|\n"
    for name, stage in sorted(rows, key=lambda row: row[0]):
        what = stage["summary"] if name == stage["name"] else f"another name of `{stage['name']}`"
        text += f"| [{name}]({stage['name']}.md) | {what} |\n"
    return text


stages = sorted(json.loads(ask("stages", "--format=json")), key=lambda stage: stage["name"])
names = [stage["name"] for stage in stages]
pages = {f"{name}.md": stage_page(name) for name in names}
for name, files in STAGE_SOURCES.items():
    if f"{name}.md" not in pages:
        sys.exit(f"tools/update_docs.py: there is no stage {name}")
    for file in files:
        if not (root / file).is_file():
            sys.exit(f"tools/update_docs.py: {name}: there is no file {file}")
design = folder.parent / "design.md"
design_text = between_marks(design.read_text(), "stages", map_of_stages(names))
design_text = between_marks(design_text, "rooms", map_of_rooms())
values = folder.parent / "values.md"
before, begin, rest = values.read_text().partition("<!-- Made by tools/update_docs.py: -->\n")
_, end, after = rest.partition("<!-- end -->\n")
if not end:
    sys.exit("docs/values.md has no place for the tables of context keys and metrics")
object_types = {line[3:].strip() for line in after.splitlines() if line.startswith("## ")}
values_text = before + begin + vocabulary(stages) + end + after
pages["README.md"] = index_of_stages(stages)
folder.mkdir(parents=True, exist_ok=True)
texts = {values: values_text, design: design_text}
stale = [name for name, text in pages.items() if not (folder / name).exists() or (folder / name).read_text() != text]
stale += [p.name for p in folder.glob("*.md") if p.name not in pages]
for kind in ("pipeline", "accelerator", "core", "multi_core", "mapping", "workload", "space", "fused"):
    texts[root / f"configs/schemas/zz-{kind}.schema.json"] = ask("schema", kind)
stale_pages = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
if check:
    for path in stale_pages:
        print(f"{path.relative_to(root)} does not agree with the program; run tools/update_docs.py ZZ_HOST")
    for name in stale:
        print(f"docs/stages/{name} does not agree with the stage; run tools/update_docs.py ZZ_HOST")
    sys.exit(1 if stale or stale_pages else 0)
for path, text in texts.items():
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
for name in stale:
    if name in pages:
        (folder / name).write_text(pages[name])
    else:
        (folder / name).unlink()
print(f"{len(pages)} pages, {len(stale) + len(stale_pages)} changed")
