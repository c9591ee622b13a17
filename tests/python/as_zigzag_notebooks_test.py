"""What a notebook finds in place of ZigZag and Stream: calls, objects, and what is an error."""

import fnmatch
import importlib
import importlib.metadata
import importlib.resources
import json
import logging
import pathlib
import pickle
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

import zz
import zz.as_zigzag
from onnx_bytes import field
from small import COMPAT, INPUTS, STAGES, parameters


def product_of_type(element, size):
    """An ONNX file with a product of one row with 64 x 64 weights, of a type of `size` bytes."""
    def tensor(name):
        shape = b"".join(field(1, field(1, length)) for length in (1, 64))
        return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))
    node = field(1, "x") + field(1, "w") + field(2, "y") + field(3, "product") + field(4, "MatMul")
    weights = field(1, 64) * 2 + field(2, element) + field(8, "w") + field(9, bytes(64 * 64 * size))
    graph = field(1, node) + field(2, "graph") + field(5, weights) + field(11, tensor("x")) + field(12, tensor("y"))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


def stages_of_zigzag(names):
    from zz.as_zigzag.stages import built_in
    return [getattr(built_in, "TemporalMappingGeneratorStage" if name == "LomaStage" else name) for name in names]


class InNotebooks(unittest.TestCase):
    """With zz.as_zigzag.install()."""

    @classmethod
    def setUpClass(cls):
        logging.disable(logging.WARNING)
        cls.addClassCleanup(logging.disable, logging.NOTSET)
        zz.as_zigzag.install()
        cls.addClassCleanup(zz.as_zigzag.remove)
        from zigzag.api import get_hardware_performance_zigzag
        cls.call = staticmethod(get_hardware_performance_zigzag)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.cme = cls.run_small()[2][0][1][0][0]

    @classmethod
    def run_small(cls, **options):
        return cls.call(str(INPUTS / "workload.yaml"), INPUTS / "accelerator.yaml", str(INPUTS / "mapping.yaml"),
                        dump_folder=cls.folder, **options)

    def test_costs_that_zigzag_asks_cacti_for(self):
        from zz.as_zigzag.stages.main import MainStage
        chip = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        chip["memories"]["buffer"]["auto_cost_extraction"] = True
        ((total, _),) = MainStage(stages_of_zigzag(STAGES), **parameters(accelerator=chip), loma_show_progress_bar=False).run()
        answer = zz.cost("sram", size=65536, width=64)
        chip["memories"]["buffer"].update(auto_cost_extraction=False, r_cost=answer["energy"]["value"],
                                          w_cost=answer["write_energy"]["value"])
        told = zz.run(STAGES, **parameters(accelerator=chip, **COMPAT))
        self.assertEqual((total.energy_total, total.latency_total2), (told.energy, told.latency))

    def test_arguments_without_equivalent_are_errors(self):
        for arguments, error, words in (
                ({"dump_filename_pattern": "x"}, TypeError, "write dump_folder"),
                ({"loma_lpf_limit": 3}, TypeError, "write lpf_limit"),
                ({"optt": "energy"}, TypeError, "did you mean 'opt'"),
                ({"opt": "edp"}, ValueError, "one of 'energy', 'latency', 'EDP'"),
                ({"temporal_mapping_type": "odd"}, ValueError, "'uneven', 'even'"),
                ({"temporal_mapping_search_engine": "random"}, ValueError, "'loma', 'salsa'"),
                ({"lpf_limit": -3}, zz.InputError, "loma_lpf_limit")):
            with self.assertRaisesRegex(error, words):
                self.run_small(**arguments)

    def test_arguments_of_stages_without_equivalent_are_errors(self):
        from zigzag.stages.main import MainStage
        from zigzag.stages.results.reduce_stages import SumStage
        with self.assertRaisesRegex(TypeError, r"'accelerator_path' on zz; write accelerator="):
            MainStage([SumStage], accelerator_path="x").run()
        with self.assertRaisesRegex(TypeError, "no stage for 'mine'"):
            MainStage(["mine"]).run()
        with self.assertRaisesRegex(TypeError, "stands in a list for MainStage"):
            SumStage([])

    def test_what_stages_of_a_script_cannot_do_are_errors(self):
        from zigzag.stages.main import MainStage
        from zigzag.stages.results.reduce_stages import SumStage
        from zigzag.stages.stage import Stage

        class Own(Stage):
            def below(self, **changed):
                return self.list_of_callables[0](self.list_of_callables[1:], **{**self.kwargs, **changed}).run()

        class Extended(SumStage):
            pass

        class Setting(Own):
            def run(self):
                yield from self.below(loma_lpf_limit=3)

        class Skipping(Own):
            def run(self):
                yield from self.list_of_callables[0](self.list_of_callables[2:], **self.kwargs).run()

        class OtherLayer(Own):
            def run(self):
                self.kwargs["layer"].id = 7
                yield from self.below()

        class NoLayer(Own):
            def run(self):
                yield from self.below(layer="conv1")

        class OtherFigure(Own):
            def run(self):
                for cme, extra in self.below():
                    cme.leakage = 3
                    yield cme, extra

        for stage, words in ((Extended, "derive it from zigzag.stages.stage.Stage"), (Setting, "another 'loma_lpf_limit'"),
                             (Skipping, "another list of stages"), (OtherLayer, "'id' of the layer.*from-zigzag"),
                             (NoLayer, "'layer' must stay a LayerNode"), (OtherFigure, "'leakage' of the evaluation")):
            with self.assertRaisesRegex(TypeError, words):
                MainStage(stages_of_zigzag(STAGES[:4]) + [stage] + stages_of_zigzag(STAGES[4:]),
                          **parameters(loma_show_progress_bar=False)).run()
        with self.assertRaisesRegex(TypeError, "'budgett' on zz; did you mean 'budget'"):
            class Named(Own):
                def __init__(self, list_of_callables, *, budget, **kwargs):
                    super().__init__(list_of_callables, **kwargs)

            MainStage([Named, *stages_of_zigzag(STAGES)], budgett=3, **parameters()).run()

    def test_stages_of_a_script_yield_sums(self):
        from zigzag.stages.main import MainStage
        from zigzag.stages.stage import Stage

        class Adding(Stage):
            def run(self):
                below = self.list_of_callables[0](self.list_of_callables[1:], **self.kwargs)
                cmes = [cme for cme, _ in below.run()]
                yield sum(cmes), [len(cmes), self.kwargs["workload"].layer_node_list]

        own = MainStage(stages_of_zigzag(STAGES[:2]) + [Adding] + stages_of_zigzag(STAGES[3:]), **parameters()).run()
        (total, _), = MainStage(stages_of_zigzag(STAGES), **parameters()).run()
        (added, (count, layers)), = own
        self.assertEqual((added.energy_total, added.latency_total2), (total.energy_total, total.latency_total2))
        self.assertEqual(count, len(layers))

    def test_calls_of_stream_without_equivalent_are_errors(self):
        from stream.api import optimize_allocation_ga
        arguments = {"hardware": "x", "workload": "y.onnx", "mapping": "z", "mode": "fused", "layer_stacks": None,
                     "nb_ga_generations": 1, "nb_ga_individuals": 1, "experiment_id": "e", "output_path": self.folder}
        with self.assertRaisesRegex(ValueError, "mode is one of 'lbl', 'fused'"):
            optimize_allocation_ga(**{**arguments, "mode": "line"})
        with self.assertRaisesRegex(TypeError, "no argument 'backend' on zz; it has hardware"):
            optimize_allocation_ga(**arguments, backend="x")

    def system_of_today(self):
        """The two cores and the memory of the small accelerator, as files of today's Stream have them."""
        folder = pathlib.Path(self.folder) / "system"
        (folder / "cores").mkdir(parents=True, exist_ok=True)
        old = yaml.safe_load((INPUTS / "stream_accelerator.yaml").read_text())
        for number, file in enumerate(old["cores"]):
            core = {**yaml.safe_load((INPUTS / file).read_text()), "type": "zigzag.compute"}
            if number == 1:
                core["operator_types"] = ["Conv", "Gemm"]
            (folder / "cores" / f"{number}.yaml").write_text(yaml.safe_dump(core))
        last = len(old["cores"]) - 1
        links = [{"type": "link", "cores": [0, 1], "bandwidth": 32},
                 {"type": "bus", "cores": list(range(last + 1)), "bandwidth": 64}]
        system = {"name": "today", "cores": {number: f"{number}.yaml" for number in range(last + 1)},
                  "core_coordinates": {0: [0, 0], 1: [1, 0]}, "offchip_core_id": last, "unit_energy_cost": 0,
                  "core_connectivity": links}
        (folder / "system.yaml").write_text(yaml.safe_dump(system))
        return str(folder / "system.yaml")

    def test_calls_of_todays_stream(self):
        from stream.api import (configure_logging, hardware_cost_report, optimize_allocation_co, optimize_allocation_co_generic)
        configure_logging(logging.WARNING)
        system, workload = self.system_of_today(), str(INPUTS / "stream_workload.yaml")
        found = optimize_allocation_co_generic(system, workload, "generic", self.folder)
        self.assertEqual(found.get("total_latency"), found.get("scme").latency)
        self.assertLessEqual(found.get("lower_bound"), found.get("total_latency"))
        self.assertEqual(list(found.get("group_latencies").values()), [found.get("total_latency")])
        again = optimize_allocation_co_generic(system, workload, "generic", self.folder, skip_if_exists=True)
        self.assertEqual(again.get("total_latency"), found.get("total_latency"))
        mapping = {"layers": [{"name": "default", "core_allocation": [[0]], "inter_core_tiling": [[{"dim": "D1", "split": 2}]]}]}
        alone = optimize_allocation_co(system, workload, mapping, "alone", self.folder)
        self.assertEqual({node.chosen_core_allocation for node in alone.get("scme").workload.node_list}, {0})
        report = hardware_cost_report(system, str(pathlib.Path(self.folder) / "report.json"))
        self.assertAlmostEqual(report["total_area_mm2"], sum(core["area_mm2"] for core in report["cores"]))
        self.assertEqual(json.loads((pathlib.Path(self.folder) / "report.json").read_text())["bundle_name"], "today")
        with self.assertRaisesRegex(ValueError, "enable_codegen=True.*no code for AI engines"):
            optimize_allocation_co(system, workload, mapping, "x", self.folder, enable_codegen=True)
        with self.assertRaisesRegex(TypeError, "no argument 'solver'"):
            optimize_allocation_co_generic(system, workload, "x", self.folder, solver="x")
        core = {**yaml.safe_load((INPUTS / "accelerator.yaml").read_text()), "type": "aie2.compute"}
        with self.assertRaisesRegex(ValueError, "of the type 'aie2.compute'"):
            hardware_cost_report({"name": "x", "cores": {0: core}})

    def test_calls_of_2025_and_what_a_search_stands_in_for(self):
        from stream.api import configure_logging, optimize_allocation_co
        configure_logging(logging.WARNING)
        system, workload = self.system_of_today(), str(INPUTS / "stream_workload.yaml")
        mapping = [{"name": "default", "core_allocation": [0, 1]}]
        logging.disable(logging.NOTSET)
        self.addCleanup(logging.disable, logging.WARNING)
        with self.assertLogs("zz", "WARNING") as told:
            optimize_allocation_co(system, workload, mapping, experiment_id="2025", output_path=self.folder, mode="fused",
                                   layer_stacks=[(0, 1)])
        self.assertRegex("\n".join(told.output), r"layer_stacks=...\) is not used: .*optimize_allocation_ga")
        with self.assertRaisesRegex(ValueError, r"mode='lbl'\) has no equivalent .*optimize_allocation_ga\(mode='lbl'"):
            optimize_allocation_co(system, workload, mapping, "x", self.folder, mode="lbl")

    def test_bits_of_today_are_those_of_the_file(self):
        from stream.api import optimize_allocation_co_generic
        bounds = []
        for element, size in ((16, 2), (3, 1)):  # bfloat16, int8
            path = pathlib.Path(self.folder) / f"{element}.onnx"
            path.write_bytes(product_of_type(element, size))
            found = optimize_allocation_co_generic(self.system_of_today(), str(path), path.stem, self.folder)
            self.assertGreaterEqual(found.get("lower_bound"), 64 * 64 * 8 * size / 64)  # a bus of 64 bits per cycle
            bounds.append(found.get("lower_bound"))
        self.assertGreater(bounds[0], 1.5 * bounds[1])

    def test_a_bus_beside_a_link_is_one_bus_and_nothing_beats_the_port(self):
        from stream.api import optimize_allocation_co_generic, optimize_allocation_ga
        system = self.system_of_today()
        plain = yaml.safe_load(pathlib.Path(system).read_text())
        folder = pathlib.Path(system).parent
        link, bus = plain["core_connectivity"]
        core, dram = (folder / "cores" / f"{number}.yaml" for number in (0, 2))
        plain["cores"] = {**{number: core.name for number in range(4)}, 4: dram.name}
        bus["cores"], plain["offchip_core_id"] = [0, 1, 2, 3, 4], 4
        path = pathlib.Path(self.folder) / "product.onnx"
        path.write_bytes(product_of_type(3, 1))
        for name, links in (("alone", [bus]), ("first", [link, bus]), ("last", [bus, link])):
            file = folder / f"{name}.yaml"
            file.write_text(yaml.safe_dump({**plain, "core_connectivity": links}))
            found = optimize_allocation_co_generic(str(file), str(path), name, self.folder)
            self.assertGreaterEqual(found.get("lower_bound"), 64 * 64 * 8 / 64, name)  # 64 bits per cycle of the memory
            self.assertGreaterEqual(found.get("total_latency"), found.get("lower_bound"), name)
        mapping = pathlib.Path(self.folder) / "every.yaml"
        mapping.write_text(yaml.safe_dump([{"name": "default", "core_allocation": [0, 1, 2, 3]}]))
        scores = [optimize_allocation_ga(hardware=str(folder / f"{name}.yaml"), workload=str(INPUTS / "stream_workload.yaml"),
                                         mapping=str(mapping), mode="lbl", layer_stacks=None, nb_ga_generations=2,
                                         nb_ga_individuals=2, experiment_id=f"ga-{name}", output_path=self.folder)
                  for name in ("alone", "first")]
        # The later item counts: of the link before the bus nothing is left.
        self.assertEqual(*((score.latency, score.energy) for score in scores))

    def test_inputs_of_a_checkout_of_stream(self):
        checkout = pathlib.Path(self.folder) / "checkout"
        for name, text in (("stream/inputs/own/made.py", "SIZE = 3\n"), ("stream/__init__.py", "raise ImportError('Stream itself')\n"),
                           ("scripts/main.py", "from stream.api import optimize_allocation_ga\nfrom stream.inputs.own.made import SIZE\n"
                                               "print('size', SIZE)\n"),
                           ("scripts/none.py", "import stream.inputs.missing\n")):
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text(text)

        def run(name, folder):
            return subprocess.run([sys.executable, "-m", "zz.as_zigzag", name], cwd=folder, capture_output=True, text=True)
        for folder, name in ((checkout, "scripts/main.py"), (self.folder, checkout / "scripts/main.py")):
            done = run(str(name), folder)
            self.assertEqual((done.returncode, done.stdout), (0, "size 3\n"), done.stderr)
        self.assertIn("stream.inputs.missing", run(str(checkout / "scripts/none.py"), self.folder).stderr)

    def test_parsers_of_arguments(self):
        from zigzag.parser.arguments import get_arg_parser
        options = get_arg_parser().parse_args(["--model", "m", "--mapping", "p", "--accelerator", "a"])
        self.assertEqual((options.model, options.mapping, options.accelerator), ("m", "p", "a"))

    def test_mappings_made_by_hand_cost_what_the_search_said(self):
        from zigzag.cost_model.cost_model import CostModelEvaluation
        from zigzag.mapping.spatial_mapping_internal import SpatialMappingInternal
        from zigzag.mapping.temporal_mapping import TemporalMapping, TemporalMappingType
        from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
        from zigzag.stages.mapping.spatial_mapping_conversion import SpatialMappingConversionStage
        for kind in ("even", "uneven"):
            for found, _ in self.run_small(temporal_mapping_type=kind)[2][0][1]:
                given = {"accelerator": found.accelerator, "layer": found.layer}
                loops = found.temporal_mapping.mapping_dic_origin
                temporal = TemporalMapping(dict(reversed(loops.items())), found.layer, TemporalMappingType(kind))
                self.assertEqual(temporal, found.temporal_mapping)
                unrolled = {name: SpatialMappingInternal(getattr(found, name).mapping_dict_origin, found.layer)
                            for name in ("spatial_mapping", "spatial_mapping_int")}
                average, whole = SpatialMappingConversionStage([], **given).convert_user_spatial_mapping(found.layer.spatial_mapping)
                self.assertEqual((average, whole), tuple(unrolled.values()))
                made = CostModelEvaluation(**given, **unrolled, temporal_mapping=temporal)
                (costed, _), = CostModelStage([], **given, **unrolled, temporal_mapping=temporal).run()
                for cme in (made, costed):
                    for name in ("energy_total", "latency_total0", "latency_total2", "mem_energy_breakdown", "mem_utili_shared"):
                        self.assertEqual(getattr(cme, name), getattr(found, name), name)

    def test_one_mapping_made_by_hand(self):
        """The units of 7 columns on 4 are counted by hand: 2 rounds of 12 multiplications, of which one unit makes 3.5."""
        from zigzag.cost_model.cost_model import CostModelEvaluation
        from zigzag.datatypes import LayerDim, LayerOperand, OADimension
        from zigzag.mapping.data_movement import DataDirection
        from zigzag.mapping.spatial_mapping import MappingSingleOADim, SpatialMapping
        from zigzag.mapping.temporal_mapping import TemporalMapping, TemporalMappingType
        from zigzag.parser.workload_factory import LayerNodeFactory
        from zigzag.stages.mapping.spatial_mapping_conversion import SpatialMappingConversionStage
        from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
        layer = LayerNodeFactory(
            {"id": 0, "name": "product", "operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]",
             "loop_dims": ["D", "K", "C"], "loop_sizes": [3, 7, 4], "operand_source": {"I": 0, "W": 0},
             "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}},
            [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]).create()
        D, K, C = map(LayerDim, "DKC")
        O, W, I = map(LayerOperand, "OWI")
        chip = AcceleratorParserStage.parse_accelerator(INPUTS / "accelerator.yaml")
        layer.spatial_mapping = SpatialMapping({OADimension("D1"): MappingSingleOADim({K: 4})})
        layer.spatial_mapping.initialize_oa_dims(chip.operational_array.dimension_sizes)

        class Seen:
            def __init__(self, rest, *, spatial_mapping, spatial_mapping_int, **_):
                self.pair = spatial_mapping, spatial_mapping_int

            def run(self):
                yield self.pair, None
        (pair, _), = SpatialMappingConversionStage([Seen], accelerator=chip, layer=layer).run()
        average, whole = pair
        self.assertEqual(average.mapping_dict_origin[W][0], [(K, 3.5)])
        self.assertEqual(whole.mapping_dict_origin[W][0], [(K, 3)])
        order = [(C, 4), (K, 2), (D, 3)]
        temporal = TemporalMapping({O: [order[:1], order[1:], []], W: [order, []], I: [order, []]}, layer,
                                   TemporalMappingType.UNEVEN)
        self.assertEqual(temporal.mapping_dic_stationary[W], [order, []])
        given = {"accelerator": chip, "layer": layer, "spatial_mapping": average, "spatial_mapping_int": whole}
        cme = CostModelEvaluation(**given, temporal_mapping=temporal)
        self.assertEqual((cme.ideal_temporal_cycle, cme.mac_energy), (24, 0.5 * 3 * 7 * 4))
        chip.memory_hierarchy.mem_level_list[1].memory_instance.r_cost = 50
        dearer = CostModelEvaluation(**given, temporal_mapping=temporal)
        reads = sum(levels[-2].get(direction) for levels in cme.memory_word_access.values()
                    for direction in (DataDirection.RD_OUT_TO_LOW, DataDirection.RD_OUT_TO_HIGH))
        self.assertAlmostEqual(dearer.energy_total - cme.energy_total, (50 - 5) * reads)

    def test_layers_made_by_hand(self):
        from zigzag.workload.layer_attributes import LayerPadding, LayerTemporalOrdering
        from zigzag.workload.layer_node import LayerNode, LayerNodeAttributes, MappingAttributes
        for layer in (self.cme.layer, self.run_small()[2][0][1][1][0].layer):
            node, mapping = layer.extract_node_attr(), layer.extract_mapping_attr()
            made = LayerNode(layer_id=layer.id, node_name=layer.name, node_attr=node, mapping_attr=mapping)
            for name in ("equation", "layer_dim_sizes", "operand_precision", "spatial_mapping", "memory_operand_links", "type", "name",
                         "pr_layer_dim_sizes", "dimension_relations"):
                self.assertEqual(getattr(made, name), getattr(layer, name), name)
        bare = LayerNodeAttributes(layer_type="Gemm", equation="O[d][k]+=I[d][c]*W[c][k]", layer_dim_sizes={"D": 2, "K": 3, "C": 5},
                                   operand_precision={"W": 8, "I": 8, "O": 16, "O_final": 8}, padding=LayerPadding.empty(),
                                   dimension_relations=[], constant_operands=["W"], input_operand_source={"I": 0, "W": 0})
        links = MappingAttributes(memory_operand_links={"O": "O", "W": "I2", "I": "I1"},
                                  temporal_ordering=LayerTemporalOrdering.empty())
        self.assertEqual(LayerNode(node_name="bare", node_attr=bare, mapping_attr=links).total_mac_count, 30)
        with self.assertRaisesRegex(TypeError, "mapping_attr=None: expected an object of MappingAttributes"):
            LayerNode(node_name="bare", node_attr=bare)

    def test_mappings_made_by_hand_that_are_none(self):
        from zigzag.cost_model.cost_model import CostModelEvaluation
        from zigzag.mapping.temporal_mapping import TemporalMapping
        from zigzag.stages.mapping.spatial_mapping_conversion import SpatialMappingConversionStage
        with self.assertRaisesRegex(TypeError, "accelerator=None: expected an object of Accelerator"):
            CostModelEvaluation(accelerator=None, layer=None, spatial_mapping=None, temporal_mapping=None)
        layer, chip = self.cme.layer, self.cme.accelerator
        loops = self.cme.temporal_mapping.mapping_dic_origin
        one, *others = loops
        with self.assertRaisesRegex(ValueError, f"mapping is of the operands {one}; layer first has O, W, I"):
            TemporalMapping({one: loops[one]}, layer, "uneven")
        with self.assertRaisesRegex(TypeError, "temporal_mapping_dict=\\[1, 2\\]: expected a dict"):
            TemporalMapping([1, 2], layer)
        with self.assertRaisesRegex(TypeError, "layer_node=<class .*: expected the layer of the mapping"):
            TemporalMapping(loops, type(layer))
        with self.assertRaisesRegex(TypeError, "a list with the loops of each level"):
            TemporalMapping({**loops, one: [3]}, layer)
        with self.assertRaisesRegex(ValueError, "all operands have the same loops in the same order"):
            TemporalMapping({**loops, one: [level[::-1] for level in loops[one]][::-1]}, layer, "uneven")
        with self.assertRaisesRegex(TypeError, "user_spatial_mapping is a SpatialMapping"):
            SpatialMappingConversionStage([], accelerator=chip, layer=layer).convert_user_spatial_mapping({})
        short = TemporalMapping({operand: [[("K", 2)], *([] for _ in levels[1:])] for operand, levels in loops.items()},
                                layer, "uneven")
        with self.assertRaisesRegex(zz.InputError, "^the script made a mapping that cannot be: layer 'first':.*iterations of OX[^:]*$"):
            CostModelEvaluation(accelerator=chip, layer=layer, spatial_mapping=self.cme.spatial_mapping,
                                spatial_mapping_int=self.cme.spatial_mapping_int, temporal_mapping=short)

    def test_tilings_of_mapping_files_are_hint_loops(self):
        import yaml
        from stream.api import optimize_allocation_ga
        mapping = [{**entry, "intra_core_tiling": ["OY, 2", "OZ, all"], "inter_core_tiling": ["K, 4"]}
                   for entry in yaml.safe_load((INPUTS / "stream_mapping.yaml").read_text())]
        def nodes(mode, tiled):
            return len(optimize_allocation_ga(
                INPUTS / "stream_accelerator.yaml", INPUTS / "stream_workload.yaml", tiled, mode, None, 1, 2, "tiled",
                self.folder).workload.node_list)
        self.assertEqual(nodes("fused", mapping), 2 * 2 * 4)
        self.assertEqual(nodes("lbl", mapping), 2 * 4)
        solved = [{**entry, "inter_core_tiling": ["K, *"]} for entry in mapping]
        self.assertEqual(nodes("fused", solved), 2 * 2)
        with self.assertRaisesRegex(ValueError, "mapping entry 'default': .*not 'OY, some'"):
            nodes("fused", [{**mapping[0], "intra_core_tiling": ["OY, some"]}])

    def test_unknown_attributes_say_what_is_there(self):
        with self.assertRaisesRegex(AttributeError, "did you mean 'energy_total'.* mac_energy, "):
            self.cme.energy_totals
        with self.assertRaisesRegex(AttributeError, "LayerNode has no 'sizes'"):
            self.cme.layer.sizes

    def test_unknown_modules_and_names_say_what_is_there(self):
        with self.assertRaisesRegex(ImportError, "did you mean 'pickle_load'.* open_yaml"):
            from zigzag.utils import pickle_loads  # noqa: F401
        with self.assertRaisesRegex(ImportError, "'zigzag.visualization.results.plot_cme' has it"):
            from zigzag.visualization import bar_plot_cost_model_evaluations_total  # noqa: F401
        with self.assertRaisesRegex(ModuleNotFoundError, "in place of the module 'zigzag.apis'; did you mean 'zigzag.api'"):
            import zigzag.apis  # noqa: F401

    def test_input_files_are_found_in_every_way(self):
        import zigzag
        folder = pathlib.Path(zigzag.__file__).parent / "inputs" / "hardware"
        self.assertTrue((folder / "tpu_like.yaml").exists())
        self.assertEqual(importlib.resources.files("zigzag.inputs.hardware"), folder)
        self.assertEqual(importlib.resources.files("zigzag").joinpath("inputs", "hardware"), folder)
        self.assertEqual(importlib.resources.files(importlib.import_module("zigzag.inputs.hardware")), folder)
        self.assertEqual(pkgutil.get_data("zigzag", "inputs/hardware/tpu_like.yaml"), (folder / "tpu_like.yaml").read_bytes())
        self.assertEqual(yaml.safe_load((folder / "tpu_like.yaml").read_text())["name"], "tpu_like")
        with self.assertRaisesRegex(ModuleNotFoundError, "in place of the module 'zigzag.inputs.machines'"):
            import zigzag.inputs.machines  # noqa: F401

    def test_input_files_are_those_of_a_zigzag_at_hand(self):
        folder = pathlib.Path(self.folder) / "checkout" / "zigzag" / "inputs" / "hardware"
        folder.mkdir(parents=True)
        (folder / "mine.yaml").write_text("name: mine\n")
        script = folder.parents[2] / "script.py"
        script.write_text("import importlib.resources\nimport zigzag.api\n"
                          "print((importlib.resources.files('zigzag.inputs.hardware') / 'mine.yaml').read_text())")
        ended = subprocess.run([sys.executable, "-m", "zz.as_zigzag", script], cwd="/", capture_output=True, text=True)
        self.assertEqual(ended.stdout, "name: mine\n\n", ended.stderr)
        self.assertEqual(ended.stderr, "")

    def test_the_package_has_a_version(self):
        self.assertEqual(importlib.metadata.version("zigzag-dse"), "3.8.5")
        self.assertEqual(importlib.metadata.version("zigzag_dse"), "3.8.5")
        self.assertNotEqual(importlib.metadata.version("PyYAML"), "3.8.5")

    def test_costs_of_memories_by_size(self):
        from zigzag.cacti.cacti_parser import CactiParser
        from zigzag.hardware.architecture.get_cacti_cost import get_cacti_cost
        answer = zz.cost("sram", size=8192 * 8, width=128, node=28)
        self.assertEqual(get_cacti_cost("", 0.028, "sram", 8192, 128),
                         tuple(answer[name]["value"] for name in ("access_time", "area", "energy", "write_energy")))
        answer = zz.cost("sram", size=65536, width=64, node=22)
        self.assertEqual(CactiParser().get_item(mem_name="l1", mem_type="sram", size=65536, r_bw=64, r_port=1, w_port=1,
                                                rw_port=0, bank=1),
                         tuple(answer[name]["value"] for name in ("energy", "write_energy", "area")))

    def test_objects_of_factories_are_taken_by_the_main_stage(self):
        from zigzag.parser.accelerator_factory import AcceleratorFactory
        from zigzag.parser.accelerator_validator import AcceleratorValidator
        from zigzag.parser.mapping_validator import MappingValidator
        from zigzag.parser.workload_factory import LayerNodeFactory, WorkloadFactory
        from zigzag.parser.workload_validator import WorkloadValidator
        from zigzag.stages.main import MainStage
        layers, mapping, chip = (yaml.safe_load((INPUTS / f"{name}.yaml").read_text())
                                 for name in ("workload", "mapping", "accelerator"))
        for validator in (AcceleratorValidator(chip), MappingValidator(mapping), WorkloadValidator(layers)):
            self.assertTrue(validator.validate())
        self.assertFalse(AcceleratorValidator({**chip, "memories": {}}).validate())
        workload = WorkloadFactory(layers, mapping).create()
        self.assertEqual([(one.name, other.name) for one, other in workload.edges], [("first", "second")])
        self.assertEqual(LayerNodeFactory(layers[1], mapping).create().layer_dim_sizes.data,
                         workload.layer_node_list[1].layer_dim_sizes.data)
        arguments = {name: item for name, item in parameters().items() if name not in ("workload", "mapping", "accelerator")}
        (total, _), = MainStage(stages_of_zigzag(STAGES[2:]), workload=workload, loma_show_progress_bar=False,
                                accelerator=AcceleratorFactory(chip).create(), **arguments).run()
        same = zz.run(STAGES, **parameters(**COMPAT))
        self.assertEqual((total.energy_total, total.latency_total2), (same.energy, same.latency))

    def test_a_layer_by_itself_may_have_one_input(self):
        from zigzag.mapping.temporal_mapping import TemporalMappingType
        from zigzag.parser.workload_factory import LayerNodeFactory
        from zigzag.stages.main import MainStage
        from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
        layer = LayerNodeFactory(
            {"id": 0, "name": "relu", "operator_type": "Relu", "equation": "O[a][b]=I[a][b]", "dimension_relations": [],
             "loop_dims": ["A", "B"], "loop_sizes": [8, 8], "operand_precision": {"I": 8, "O": 8, "O_final": 8},
             "operand_source": {"I": 0}},
            [{"name": "default", "memory_operand_links": {"O": "O", "I": "I1"}}]).create()
        (cme, _), = MainStage(
            stages_of_zigzag(["MinimalLatencyStage", "SpatialMappingGeneratorStage", "MinimalLatencyStage", "LomaStage",
                              "CostModelStage"]), layer=layer, loma_lpf_limit=6, loma_show_progress_bar=False,
            accelerator=AcceleratorParserStage.parse_accelerator(INPUTS / "accelerator.yaml"),
            temporal_mapping_type=TemporalMappingType.EVEN).run()
        self.assertEqual(cme.layer.input_operands, ["I"])
        self.assertGreaterEqual(cme.latency_total2, cme.ideal_cycle)
        self.assertEqual(cme.temporal_mapping.type, TemporalMappingType.EVEN)

    def test_a_search_that_finds_nothing_raises_what_zigzag_raises(self):
        from zigzag.opt.loma.engine import NoValidLoopOrderingFoundException
        chip = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        chip["memories"]["register"]["size"] = 1
        with self.assertRaises(NoValidLoopOrderingFoundException):
            self.call(str(INPUTS / "workload.yaml"), chip, str(INPUTS / "mapping.yaml"), dump_folder=self.folder)

    def test_texts_and_integers_are_those_of_zigzag(self):
        accesses = self.cme.memory_word_access["O"][0]
        self.assertRegex(str(accesses), r"^4WayDataMoving\(rd ↑: \d+, wr ↓: \d+, rd ↓: \d+, wr ↑: \d+\)$")
        self.assertRegex(str(self.cme.stall_slack_comb_collect[0]), r"^\{'\w+': -?\d+")
        for name in ("ideal_cycle", "stall_slack_comb"):
            self.assertIsInstance(getattr(self.cme, name), int)
        instance = self.cme.mem_level_list[0].memory_instance
        self.assertIsInstance(instance.size, int)
        self.assertIsInstance(self.cme.latency_total2, float)

    def test_bandwidth_that_stream_asks_for(self):
        buffer = self.cme.mem_level_list[1]
        total = self.cme.get_total_inst_bandwidth(buffer)
        parts = [self.cme.get_inst_bandwidth(buffer, operand) for operand in buffer.operands]
        self.assertEqual(total, parts[0] + parts[1] + parts[2])
        self.assertGreater(sum(total.data.values()), 0)

    def test_the_documentation_has_every_module(self):
        from zz.as_zigzag.modules import MODULES
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "zigzag-scripts.md").read_text()
        named = set(re.findall(r"`((?:zigzag|stream)(?:\.\w+)*(?:\.\*)?)`", page))
        there = {name for name, contents in MODULES.items() if contents}
        for name in there:
            self.assertTrue(any(fnmatch.fnmatchcase(name, pattern) for pattern in named), name)
        for pattern in named - {"stream"}:
            self.assertTrue(fnmatch.filter(MODULES, pattern), pattern)
        for name in MODULES:
            importlib.import_module(name)

    def test_every_attribute_can_be_had(self):
        things = [self.cme, self.cme.layer, self.cme.accelerator, self.cme.accelerator.memory_hierarchy,
                  self.cme.mem_level_list[0], self.cme.mem_level_list[0].memory_instance, self.cme.spatial_mapping,
                  self.cme.temporal_mapping, self.cme.accelerator.operational_array, self.cme + self.cme,
                  self.cme.spatial_mapping_int, self.cme.mapping, self.cme.mapping_int]
        for thing in things:
            for name in dir(thing):
                if not name.startswith("_"):
                    getattr(thing, name)
            self.assertEqual(pickle.loads(pickle.dumps(thing)), thing)

    def test_json_is_that_of_the_files(self):
        written = json.loads((pathlib.Path(self.folder) / "first_complete.json").read_text())
        ours = json.loads(json.dumps(self.cme.__jsonrepr__()))
        del written["outputs"]["metrics"]  # zz's own: how much of its space the search tried
        self.assertEqual(ours["outputs"], written["outputs"])
        self.assertEqual(ours["inputs"]["temporal_mapping"], written["inputs"]["temporal_mapping"])
        self.assertEqual(ours["inputs"]["spatial_mapping"], written["inputs"]["spatial_mapping"])

    def test_names_of_operands(self):
        from zigzag.datatypes import LayerDim, LayerOperand, MemoryOperand, OADimension
        self.assertEqual(LayerDim("ox"), "OX")
        self.assertNotEqual(LayerOperand("O"), MemoryOperand("O"))
        self.assertEqual({LayerOperand("W"): 1}["W"], 1)
        with self.assertRaisesRegex(ValueError, "as D1"):
            OADimension("X")


if __name__ == "__main__":
    unittest.main()
