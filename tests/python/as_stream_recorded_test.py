"""Recorded schedules of Stream 0.0.8, asked for with its own list of stages.

The records lie beside the checkout; without them this is skipped.
"""

import json
import logging
import math
import pathlib
import sys
import unittest

import zz.as_zigzag

RECORDS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "oracle" / "stream"


def close(ours, theirs):
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        logging.disable(logging.WARNING)
        cls.addClassCleanup(logging.disable, logging.NOTSET)
        zz.as_zigzag.install()
        cls.addClassCleanup(zz.as_zigzag.remove)

    def schedule(self, case, allocation):
        from stream.classes.stages.AcceleratorParserStage import AcceleratorParserStage
        from stream.classes.stages.DetermineSchedulingOrderStage import DetermineSchedulingOrderStage
        from stream.classes.stages.GenerateCNWorkloadHybridStage import GenerateCNWorkloadHybridStage
        from stream.classes.stages.InterCoreMappingStage import InterCoreMappingStage
        from stream.classes.stages.IntraCoreMappingStage import IntraCoreMappingStage
        from stream.classes.stages.ModelParserStage import ONNXModelParserStage, UserDefinedModelParserStage
        from zigzag.stages.MainStage import MainStage
        files = {name: str(RECORDS / "inputs" / path) for name, path in case["inputs"].items()}
        arguments = {name: value for name, value in case["parameters"].items() if name not in ("note", "plot_hof")}
        parser = ONNXModelParserStage if files["workload"].endswith(".onnx") else UserDefinedModelParserStage
        scme, _ = MainStage(
            [AcceleratorParserStage, parser, GenerateCNWorkloadHybridStage, IntraCoreMappingStage,
             DetermineSchedulingOrderStage, InterCoreMappingStage],
            accelerator=files["accelerator"], workload_path=files["workload"], mapping_path=files["mapping"],
            **arguments, plot_hof=False, **({"core_allocation": allocation} if allocation else {})).run()
        return scme[0]

    def test_recorded_schedules(self):
        compared = 0
        for file in sorted((RECORDS / "cases").glob("*.json")):
            case = json.loads(file.read_text())
            made = [one for one in case.get("schedules", []) if "latency" in one]
            if case.get("result") != "ok" or not made:
                continue
            with self.subTest(case=file.stem):
                record = made[0]
                scme = self.schedule(case, record.get("genes"))
                self.assertTrue(close(scme.latency, record["latency"]), (scme.latency, record["latency"]))
                self.assertTrue(close(scme.energy, record["energy"]), (scme.energy, record["energy"]))
                for name, energy in record["energy_breakdown"].items():
                    self.assertTrue(close(getattr(scme, name), energy), name)
                nodes = {(node.id, node.sub_id): [node.chosen_core_allocation, node.start, node.end]
                         for node in scme.workload.node_list}
                for layer, sub_id, *where_and_when in record["cns"]:
                    self.assertEqual(nodes[layer, sub_id], where_and_when)
                compared += 1
        self.assertGreater(compared, 20)


if __name__ == "__main__":
    if not RECORDS.exists():
        print(f"skipped: no recorded results of Stream in {RECORDS}")
        sys.exit(77)
    unittest.main()
