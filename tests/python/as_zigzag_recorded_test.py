"""ZigZag's own tests and every recorded result, called as ZigZag is called, against what ZigZag gave.

The records lie beside the checkout; without them this is skipped.
"""

import functools
import json
import logging
import math
import pathlib
import sys
import tempfile
import unittest

import zz.as_zigzag

RECORDS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "oracle" / "zigzag"
INPUTS = RECORDS / "inputs"
# Annealing is random, and zz refuses costs that a program of its own would have to work out.
NOT_COMPARABLE = ("salsa", "auto_cost")


def close(ours, theirs):
    if isinstance(theirs, dict):
        return len(ours) == len(theirs) and all(close(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(theirs, (int, float)) and not isinstance(theirs, bool):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return ours == theirs


def by_direction(levels):
    return {operand: [level.__jsonrepr__() for level in of_operand] for operand, of_operand in levels.items()}


def four_ways(patterns):
    return {operand: [{attribute.value: figures.__jsonrepr__() for attribute, figures in pattern.attributes.items()}
                      for pattern in levels] for operand, levels in patterns.items()}


def activities(ports, *figures):
    """By memory and port: what is served, and figures of it, in an order that does not count."""
    return [{name: sorted([[str(part) if number != 1 else part for number, part in enumerate(one.served_op_lv_dir)]]
                          + [getattr(one, figure) for figure in figures] for one in port)
             for name, port in memory.items()} for memory in ports]


def recorded_activities(ports, *figures):
    return [{name.rpartition(".")[2]: sorted([one["served"]] + [one[figure] for figure in figures] for one in port)
             for name, port in memory.items()} for memory in ports]


def by_port(cme, figures):
    return {f"{memory.name}.{port.name}": figures[port] for memory in cme.mem_level_list for port in memory.ports
            if port in figures}


def details(cme, record):
    """(ours, ZigZag's) of what belongs to single transfers and levels."""
    repeated = ("real_cycle", "allowed_cycle", "period", "period_count", "stall_or_slack", "mem_updating_window")
    once = ("real_cycle", "data_in_charge", "mem_bw")
    relevancy = cme.layer.loop_relevancy_info
    figures = {
        "allowed_mem_update_cycle": (by_direction(cme.allowed_mem_update_cycle), record["allowed_mem_update_cycle"]),
        "real_data_trans_cycle": (by_direction(cme.real_data_trans_cycle), record["real_data_trans_cycle"]),
        "port_activity_collect": (activities(cme.port_activity_collect, *repeated),
                                  recorded_activities(record["port_activity_collect"], *repeated)),
        "data_loading_per_mem_inst": (
            activities([{port.name: one for port, one in memory.items()} for memory in cme.data_loading_per_mem_inst], *once),
            recorded_activities(record["data_loading_per_mem_inst"], *once)),
        "relevancy": ({"r": {op: sorted(dims) for op, dims in relevancy.r_dims.items()},
                       "ir": {op: sorted(dims) for op, dims in relevancy.ir_dims.items()}, "pr": relevancy.pr_dims},
                      {**record["relevancy"], "r": {op: sorted(dims) for op, dims in record["relevancy"]["r"].items()}}),
    }
    for name in ("loading_cycles_during_computation", "loading_bw_during_computation",
                 "total_loading_cycles_during_computation", "total_loading_bw_during_computation"):
        figures[name] = by_port(cme, getattr(cme, name)), record[name]
    for name, figure in record["temporal_detail"].items():
        figures[f"temporal_mapping.{name}"] = getattr(cme.temporal_mapping, name), figure
    for name in ("mapping", "mapping_int"):
        if name not in record:
            continue
        ours = getattr(cme, name)
        for attribute in ("psum_flag", "data_precision_dict", "data_elem_per_level", "data_elem_per_level_unrolled",
                          "data_bit_per_level", "data_bit_per_level_unrolled", "effective_data_elem", "effective_data_bit"):
            figures[f"{name}.{attribute}"] = getattr(ours, attribute), record[name][attribute]
        moved, recorded_moved = four_ways(ours.unit_mem_data_movement), record[name]["unit_mem_data_movement"]
        figures[f"{name}.unit_mem_data_movement"] = [
            {operand: [{attribute: figures for attribute, figures in pattern.items() if attribute != "data_elem_move_count"}
                       for pattern in levels] for operand, levels in side.items()} for side in (moved, recorded_moved)]
        # Half an element is rounded up or down, as the order of ZigZag's products has it.
        counts = [[pattern["data_elem_move_count"][way] for levels in side.values() for pattern in levels
                   for way in sorted(pattern["data_elem_move_count"])]
                  for side in (moved, {str(operand): recorded_moved[operand] for operand in map(str, moved)})]
        figures[f"{name}.data_elem_move_count"] = [abs(one - other) <= 1 for one, other in zip(*counts, strict=True)], [
            True] * len(counts[0])
        for attribute, figure in record[name].get("spatial", {}).items():
            figures[f"{name}.spatial_mapping.{attribute}"] = getattr(ours.spatial_mapping, attribute), figure
    return figures


@functools.cache
def recorded(name):
    return json.loads((RECORDS / "cases" / f"{name}.json").read_text())


@functools.cache
def call(name, folder):
    from zigzag.api import get_hardware_performance_zigzag
    case = recorded(name)
    arguments = {name: value for name, value in case["params"].items()
                 if name != "access_same_data_considered_as_no_access"}  # which the API always sets
    return get_hardware_performance_zigzag(str(INPUTS / case["workload"]), str(INPUTS / case["accelerator"]),
                                           str(INPUTS / case["mapping"]), dump_folder=folder, **arguments)


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        logging.disable(logging.WARNING)
        cls.addClassCleanup(logging.disable, logging.NOTSET)
        zz.as_zigzag.install()
        cls.addClassCleanup(zz.as_zigzag.remove)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    def check_layer(self, cme, record):
        figures = {
            "layer.id": (cme.layer.id, record["id"]), "layer.name": (cme.layer.name, record["name"]),
            "layer.type": (cme.layer.type, record["type"]), "layer.equation": (cme.layer.equation.data, record["equation"]),
            "layer.layer_dim_sizes": (cme.layer.layer_dim_sizes.data, record["loop_dims"]),
            "layer.layer_dims": (cme.layer.layer_dims, record["loop_dim_order"]),
            "layer.layer_operands": (cme.layer.layer_operands, record["layer_operands"]),
            "layer.operand_precision": (cme.layer.operand_precision.data, record["operand_precision"]),
            "layer.dimension_relations": ([one.data for one in cme.layer.dimension_relations],
                                          record["dimension_relations"]),
            "layer.pr_layer_dim_sizes": (cme.layer.pr_layer_dim_sizes.data, record["pr_layer_dim_sizes"]),
            "layer.memory_operand_links": (cme.layer.memory_operand_links.data, record["memory_operand_links"]),
            "layer.operand_size_elem": (cme.layer.operand_size_elem, record["operand_size_elem"]),
            "layer.operand_size_bit": (cme.layer.operand_size_bit, record["operand_size_bit"]),
            "layer.operand_data_reuse": (cme.layer.operand_data_reuse, record["operand_data_reuse"]),
            "layer.spatial_mapping": ({name: one.data for name, one in cme.layer.spatial_mapping.items()},
                                      record["user_spatial_mapping"]),
            "spatial_mapping": (cme.spatial_mapping.mapping_dict_origin, record["spatial_mapping_internal"]),
            "spatial_mapping_int": (cme.spatial_mapping_dict_int, record["spatial_mapping_internal_int"]),
            "temporal_mapping.origin": (cme.temporal_mapping.mapping_dic_origin, record["temporal_mapping_origin"]),
            "temporal_mapping": (cme.temporal_mapping.mapping_dic_stationary, record["temporal_mapping"]),
            "cycle_cabl_level": (cme.temporal_mapping.cycle_cabl_level, record["temporal_detail"]["cycle_cabl_level"]),
            "mem_level_list": ([{"name": one.name, "operands": one.operands} for one in cme.mem_level_list],
                               record["mem_level_list"]),
            **details(cme, record),
            "memory_word_access": (by_direction(cme.memory_word_access), record["memory_word_access"]),
            "mem_energy_breakdown_further": (by_direction(cme.mem_energy_breakdown_further),
                                             record["mem_energy_breakdown_further"]),
        }
        same = ("mem_utili_individual", "effective_mem_utili_individual", "effective_mem_utili_shared", "double_buffer_true",
                "stall_slack_comb_collect", "data_loading_cc_pair_combined_per_op", "data_loading_individual_part",
                "data_loading_half_shared_part", "data_loading_shared_part", "data_offloading_cc_pair_combined",
                "data_loading_cc_per_op", "data_offloading_cc_per_op",
                "loading_offloading_cycles_borrowed_from_computation",
                "loading_offloading_bandwidth_borrowed_from_computation", "active_mem_level", "cycles_per_op", "mem_utili_shared", "mac_energy", "mem_energy_breakdown", "mem_energy",
                "energy_total", "stall_slack_comb", "data_onloading_cycle", "data_offloading_cycle", "ideal_cycle",
                "ideal_temporal_cycle", "mac_spatial_utilization", "latency_total0", "latency_total1", "latency_total2",
                "mac_utilization0", "mac_utilization1", "mac_utilization2")
        circuits = ("mac_energy_breakdown", "tclk", "tclk_breakdown", "imc_area", "imc_area_breakdown", "mem_area",
                    "mem_area_breakdown", "area_total")
        if "tclk" in record:
            array = cme.accelerator.operational_array
            figures["array"] = ([array.area, array.area_breakdown, array.tclk, array.tclk_breakdown],
                                [record["imc_area"], record["imc_area_breakdown"], record["tclk"],
                                 record["tclk_breakdown"]])
        for name in (*same, *(name for name in circuits if name in record)):
            figures[name] = getattr(cme, name), record[name]
        for name, (ours, theirs) in figures.items():
            self.assertTrue(close(ours, theirs), f"{record['name']}: {name} is {ours}, ZigZag has {theirs}")

    def test_every_recorded_figure(self):
        for file in sorted((RECORDS / "cases").glob("*.json")):
            if any(word in file.stem for word in NOT_COMPARABLE):
                continue
            with self.subTest(case=file.stem):
                case = recorded(file.stem)
                energy, latency, *_, answers = call(file.stem, self.folder)
                total, layers = answers[0]
                self.assertEqual((energy, latency), (total.energy_total, total.latency_total2))
                for name, figure in case["totals"].items():
                    if name == "memory_word_access":
                        self.assertTrue(close(by_direction(total.memory_word_access), figure))
                    elif hasattr(total, name):
                        self.assertTrue(close(getattr(total, name), figure), f"{name}: {getattr(total, name)}, not {figure}")
                self.assertEqual(len(layers), len(case["layers"]))
                for (cme, _), record in zip(layers, case["layers"]):
                    self.check_layer(cme, record)

    def test_tests_of_zigzag(self):
        """What its parametrised tests expect, to the millionth that pytest.approx allows."""
        stale = []
        for test in json.loads((RECORDS / "upstream_tests.json").read_text())["tests"]:
            if not test["run_by_upstream"]:
                continue
            with self.subTest(test=test["test"], workload=test["workload"]):
                *figures, _ = call(test["case"], self.folder)
                as_expected = all(math.isclose(ours, theirs, rel_tol=1e-6)
                                  for ours, theirs in zip(figures, test["expected"], strict=True))
                self.assertEqual(as_expected, test["pass"], (figures, test["expected"]))
                if not as_expected:
                    stale.append(test["test"])
                    self.assertTrue(close(figures, test["obtained"]), (figures, test["obtained"]))
        self.assertEqual(stale, ["test_origin/test_gemm_l1_l3.py"])  # docs/zigzag-scripts.md

    def test_one_mapping_of_a_public_script(self):
        """A product of 64 x 64 x 64 as a differential test has ZigZag cost it: 1,210,966.016 pJ and 1,535 cycles."""
        from zigzag.cost_model.cost_model import CostModelEvaluation
        from zigzag.datatypes import LayerDim, LayerOperand, OADimension
        from zigzag.mapping.spatial_mapping import MappingSingleOADim, SpatialMapping
        from zigzag.mapping.temporal_mapping import TemporalMapping, TemporalMappingType
        from zigzag.parser.workload_factory import LayerNodeFactory
        from zigzag.stages.mapping.spatial_mapping_conversion import SpatialMappingConversionStage
        from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
        chip = AcceleratorParserStage.parse_accelerator(INPUTS / "hardware/tpu_like.yaml")
        layer = LayerNodeFactory(
            {"id": 0, "name": "product", "operator_type": "Gemm", "equation": "O[m][n]+=I[m][k]*W[k][n]", "loop_dims": ["M", "N", "K"],
             "loop_sizes": [64, 64, 64], "operand_source": {"I": 0, "W": 0}, "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}},
            [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]).create()
        M, N, K = map(LayerDim, "MNK")
        O, W, I = map(LayerOperand, "OWI")
        layer.spatial_mapping = SpatialMapping({OADimension("D1"): MappingSingleOADim({K: 32}), OADimension("D2"): MappingSingleOADim({N: 32})})
        layer.spatial_mapping.initialize_oa_dims(chip.operational_array.dimension_sizes)
        conversion = SpatialMappingConversionStage([], accelerator=chip, layer=layer)
        average, whole = conversion.convert_user_spatial_mapping(layer.spatial_mapping)
        order = [(M, 64), (N, 2), (K, 2)]
        temporal = TemporalMapping({O: [[], order, []], W: [order, []], I: [order[:1], order[1:]]}, layer, TemporalMappingType.UNEVEN)
        cme = CostModelEvaluation(accelerator=chip, layer=layer, spatial_mapping=average, spatial_mapping_int=whole, temporal_mapping=temporal)
        self.assertTrue(close((cme.energy_total, cme.latency_total2), (1210966.016, 1535)), (cme.energy_total, cme.latency_total2))


if __name__ == "__main__":
    if not RECORDS.exists():
        print(f"skipped: no recorded results of ZigZag in {RECORDS}")
        sys.exit(77)
    unittest.main()
