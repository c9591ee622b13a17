import csv
import logging
import pathlib
import subprocess
import tempfile
import unittest

import yaml

import zz
from small import INPUTS

SIZES = [(rows, c, k) for rows in (1, 4, 32) for c in (16, 64) for k in (8, 16, 32, 64)]
BITS = {"W": 8, "I": 8, "O": 16, "O_final": 8}


def accelerator(array=1, dram=1):
    made = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
    made["operational_array"].update(operand_precision=BITS, efficiency=array)
    made["memories"]["dram"]["ports"][0]["efficiency"] = dram
    return made


def measured(**shares):
    """Rows that a machine with these shares would give."""
    layers = [{"equation": "O[b][k]+=I[b][c]*W[c][k]", "loop_dims": ["B", "C", "K"], "loop_sizes": [*sizes], "operand_precision": BITS}
              for sizes in SIZES]
    results = zz.optimum(layers, accelerator(**shares), "latency", within=0)
    return [{"tokens": b, "C": c, "K": k, "measured_cycles": row["latency"]} for (b, c, k), row in zip(SIZES, results.layers)]


class Calibrate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = measured(array=0.7, dram=0.8)

    def test_constants_that_made_the_rows_are_found_and_a_file_keeps_its_comments(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            text = (INPUTS / "accelerator.yaml").read_text().replace("name: small", "# A machine.\nname: small", 1)
            text += "  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}  # of its units\n"
            (folder / "machine.yaml").write_text(text)
            with open(folder / "rows.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, self.rows[0])
                writer.writeheader()
                writer.writerows(self.rows)
            made = zz.calibrate(folder / "machine.yaml", folder / "rows.csv", output=folder / "new.yaml")
            self.assertEqual([one["key"] for one in made["constants"]], ["operational_array.efficiency", "memories.dram.efficiency"])
            for constant, share in zip(made["constants"], (0.7, 0.8)):
                self.assertTrue(constant["matters"])
                self.assertEqual(constant["before"], 1)
                self.assertAlmostEqual(constant["after"], share, delta=0.02)
            of_all = made["errors"][0]
            self.assertEqual(made["rows"]["fitted"] + made["rows"]["other"], len(SIZES))
            self.assertEqual(of_all["rows"], made["rows"]["other"])
            self.assertLess(of_all["after"], 1)
            self.assertGreater(of_all["before"], 5)
            self.assertGreater(of_all["calibrated_roofline"], of_all["after"])
            self.assertGreater(of_all["roofline"], of_all["calibrated_roofline"])
            written = (folder / "new.yaml").read_text()
            lines = [line for line in written.splitlines() if "efficiency" not in line]
            self.assertEqual(sorted(line.strip(" -") for line in lines), sorted(line.strip(" -") for line in text.splitlines()))
            read = yaml.safe_load(written)
            self.assertEqual(read["operational_array"]["efficiency"], made["constants"][0]["after"])
            self.assertEqual(read["memories"]["dram"]["ports"][0]["efficiency"], made["constants"][1]["after"])
            again = zz.calibrate(folder / "new.yaml", folder / "rows.csv")
            self.assertAlmostEqual(again["errors"][0]["before"], made["errors"][0]["after"], places=6)

    def test_what_does_not_matter_is_told_and_stays(self):
        made = zz.calibrate(accelerator(), self.rows, ["operational_array.efficiency", "memories.register.tile_interval"])
        array, interval = made["constants"]
        self.assertTrue(array["matters"])
        self.assertFalse(interval["matters"])
        self.assertEqual(interval["after"], 0)

    def test_layers_of_a_workload(self):
        layers = [{"name": f"layer {i}", "id": i, "operator_type": "Gemm", "equation": "O[b][k]+=I[b][c]*W[c][k]", "dimension_relations": [],
                   "loop_dims": ["B", "C", "K"], "loop_sizes": [*sizes], "operand_precision": BITS, "operand_source": {"I": i, "W": i}}
                  for i, sizes in enumerate(SIZES)]
        rows = [{"layer": f"layer {i}", "measured_cycles": row["measured_cycles"]} for i, row in enumerate(self.rows)]
        made = zz.calibrate(accelerator(), rows, workload=layers)
        self.assertAlmostEqual(made["constants"][0]["after"], 0.7, delta=0.02)
        with self.assertRaisesRegex(zz.InputError, "has no layer 'layer 99'"):
            zz.calibrate(accelerator(), [*rows[:-1], {**rows[-1], "layer": "layer 99"}], workload=layers)

    def test_a_layer_costs_what_map_says(self):
        """Scales that only the network's file says count, or not, as in `map`."""
        text = 'ir_version: 10 opset_import { version: 21 } graph { name: "g"\n'
        for i, (b, c, k) in enumerate(SIZES):
            shape = f"dim {{ dim_value: {b} }} dim {{ dim_value: {c} }}"
            text += f"""input {{ name: "x{i}" type {{ tensor_type {{ elem_type: 1 shape {{ {shape} }} }} }} }}
                initializer {{ name: "w{i}" data_type: 3 dims: {c} dims: {k} }}
                initializer {{ name: "s{i}" data_type: 1 dims: {c // 4} dims: {k} }}
                node {{ op_type: "DequantizeLinear" name: "d{i}" input: "w{i}" input: "s{i}" output: "f{i}"
                       attribute {{ name: "block_size" type: INT i: 4 }} attribute {{ name: "axis" type: INT i: 0 }} }}
                node {{ op_type: "MatMul" name: "m{i}" input: "x{i}" input: "f{i}" output: "y{i}" }}
                output {{ name: "y{i}" type {{ tensor_type {{ elem_type: 1 }} }} }}\n"""
        includes = pathlib.Path("/usr/include/onnx")
        model = subprocess.run(["protoc", "--encode=onnx.ModelProto", f"-I{includes}", includes / "onnx.proto"], input=(text + "}").encode(),
                               capture_output=True, check=True).stdout
        machine = accelerator(array=0.7)
        latencies = {}
        for converts in (False, True):
            machine["operational_array"]["converts"] = converts
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.onnx"
                path.write_bytes(model)
                layers = zz.map(path, machine, INPUTS / "mapping.yaml", objective="latency", within=0).layers
                latencies[converts] = [layer["latency"] for layer in layers]
                rows = [{"layer": layer["layer"], "measured_cycles": layer["latency"]} for layer in layers]
                with self.subTest(converts=converts), self.assertLogs("zz") as told:
                    logging.getLogger("zz").warning("one more, as there must be some")
                    made = zz.calibrate(machine, rows, ["operational_array.efficiency"], workload=path, mapping=INPUTS / "mapping.yaml")
                    self.assertEqual(made["errors"][0]["before"], 0)
                    self.assertEqual(sum("the scales of the blocks of 24 layers" in one for one in told.output), 0 if converts else 1)
        self.assertGreater(sum(latencies[True]), sum(latencies[False]))

    def test_a_prescribed_mapping_is_kept(self):
        links = {"O": "O", "W": "I2", "I": "I1"}
        # A quarter of the units for one half of the rows: no share of the peak is right for both.
        mapping = [{"name": "default", "memory_operand_links": links, "spatial_mapping": {"D1": ["K, 2"], "D2": ["C, 2"]}},
                   {"name": "narrow", "memory_operand_links": links, "spatial_mapping": {"D1": ["K, 1"], "D2": ["C, 1"]}}]
        rows = []
        for i, (b, c, k) in enumerate(SIZES):
            layer = {"equation": "O[b][k]+=I[b][c]*W[c][k]", "loop_dims": ["B", "C", "K"], "loop_sizes": [b, c, k], "operand_precision": BITS}
            entry = {**mapping[i % 2], "name": "default"}
            [row] = zz.optimum(layer, accelerator(array=0.6), "latency", within=0, mapping=[entry]).layers
            rows.append({"layer": "narrow" if i % 2 else "", "tokens": b, "C": c, "K": k, "measured_cycles": row["latency"]})
        made = zz.calibrate(accelerator(), rows, ["operational_array.efficiency"], mapping=mapping)
        self.assertAlmostEqual(made["constants"][0]["after"], 0.6, delta=0.01)
        self.assertLess(made["errors"][0]["after"], 0.5)
        self.assertGreater(zz.calibrate(accelerator(), rows, ["operational_array.efficiency"])["errors"][0]["after"], 5)

    def test_wrong_arguments(self):
        for rows, keys, words in ((self.rows[:19], None, "19 rows are too few"),
                                  (self.rows, ["operational_array.efficiency", "memories.dram.efficiency", "memories.dram.overlap"],
                                   "3 constants cannot be read off 24 rows"),
                                  (self.rows, ["operational_array.eficiency"], "did you mean 'operational_array.efficiency'"),
                                  (self.rows, ["memories.dram.size"], "is no key of 'small' that can be fitted"),
                                  (self.rows, ["memories.dram.efficiency", "memories[dram].ports[rw_port_1].efficiency"], "are the same constant")):
            with self.assertRaisesRegex(zz.InputError, words):
                zz.calibrate(accelerator(), rows, keys)
        with self.assertRaisesRegex(zz.InputError, "allows no fewer than"):
            zz.calibrate(accelerator(), [{**row, "measured_cycles": row["measured_cycles"] / 100} for row in self.rows])
        with self.assertRaisesRegex(zz.InputError, "csv:2: .*as most rows, this one is more than 100 times as slow.*the unit of the column"):
            zz.calibrate(accelerator(), [{**row, "measured_cycles": row["measured_cycles"] * 1e4} for row in self.rows])


if __name__ == "__main__":
    unittest.main()
