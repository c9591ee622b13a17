"""Every script of scripts/ runs unchanged on zz, from a folder with the inputs that its public counterpart has beside it."""

import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = sorted((HERE / "scripts").glob("*.py"))
INPUTS, CONFIGS = HERE.parent / "inputs", HERE.parents[1] / "configs"
sys.path.insert(0, str(HERE.parent / "python"))
import repositories_test  # noqa: E402
from onnx_bytes import field  # noqa: E402

FLOAT, BFLOAT16 = 1, 16


def tensor(name, shape, element=FLOAT):
    lengths = b"".join(field(1, field(1, length)) for length in shape)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, lengths)))


def products(names, rows, width, element=FLOAT, bits=()):
    """An ONNX file of products one after the other, each with width x width weights, and attributes of its nodes."""
    size = {FLOAT: 4, BFLOAT16: 2}[element]
    attributes = b"".join(field(5, field(1, key) + field(20, 2) + field(3, value)) for key, value in bits)
    nodes, weights = b"", b""
    for number, name in enumerate(names):
        nodes += field(1, field(1, f"t{number}") + field(1, f"w{number}") + field(2, f"t{number + 1}") + field(3, name)
                       + field(4, "MatMul") + attributes)
        weights += field(5, field(1, width) * 2 + field(2, element) + field(8, f"w{number}") + field(9, bytes(width * width * size)))
    graph = (nodes + field(2, "graph") + weights + field(11, tensor("t0", (rows, width), element))
             + field(12, tensor(f"t{len(names)}", (rows, width), element)))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


def convolutions(channels, side):
    """Two convolutions of 1 x 1, one after the other, in float32."""
    nodes, weights = b"", b""
    for number in range(2):
        nodes += field(1, field(1, f"t{number}") + field(1, f"w{number}") + field(2, f"t{number + 1}") + field(3, f"conv{number}")
                       + field(4, "Conv"))
        content = struct.pack("<f", 0) * (channels * channels)
        weights += field(5, field(1, channels) * 2 + field(1, 1) * 2 + field(2, FLOAT) + field(8, f"w{number}") + field(9, content))
    shape = (1, channels, side, side)
    graph = nodes + field(2, "graph") + weights + field(11, tensor("t0", shape)) + field(12, tensor("t2", shape))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(yaml.dump(content, sort_keys=False))


def read(name):
    return yaml.safe_load((INPUTS / name).read_text())


def lay_out(root):
    """What public checkouts have, in small: inputs of ZigZag and Stream, of a lab, of zigzag-llm and of a model of a GPU."""
    chip, layers = read("accelerator.yaml"), read("workload.yaml")
    for folder in ("zigzag/inputs", "inputs"):
        write(root / folder / "hardware/chip.yaml", chip)
        write(root / folder / "workload/network.yaml", layers)
        write(root / folder / "mapping/chip.yaml", read("mapping.yaml"))
    write(root / "zigzag/inputs/mapping/open.yaml", [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}])
    for kind, folder in (("accelerators", "hardware"), ("mappings", "mapping")):
        shutil.copy(CONFIGS / kind / "chih_digital_imc_like.yaml", root / f"zigzag/inputs/{folder}/imc.yaml")

    core, offchip = read("stream_core.yaml"), read("stream_offchip.yaml")
    core["memories"]["sram"]["size"] = 262144
    buses = {"name": "two_buses", "cores": {0: "core.yaml", 1: "core.yaml", 2: "offchip.yaml"}, "offchip_core_id": 2,
             "unit_energy_cost": 0, "core_connectivity": [{"type": "bus", "cores": [0, 1], "bandwidth": 64},
                                                          {"type": "bus", "cores": [0, 1, 2], "bandwidth": 64}]}
    mesh = {"name": "quad_core", "cores": dict.fromkeys(range(4), "core.yaml"), "offchip_core": "offchip.yaml",
            "core_connectivity": ["0, 1", "1, 2", "2, 3", "3, 0"], "bandwidth": 64, "unit_energy_cost": 0}
    for folder in ("lab1/inputs", "stream/inputs/examples"):
        for name, content in (("core", core), ("offchip", offchip), ("two_buses", buses), ("quad_core", mesh),
                              ("quad_core_offchip", mesh)):
            write(root / folder / f"hardware/{name}.yaml", content)
        write(root / folder / "workload/network.yaml", read("stream_workload.yaml"))
    write(root / "lab1/inputs/mapping/mapping.yaml", read("stream_mapping.yaml"))
    cut = [{**entry, "inter_core_tiling": ["OY, *"], "intra_core_tiling": ["OY, 2"]} for entry in read("stream_mapping.yaml")]
    write(root / "stream/inputs/examples/mapping/quad_core.yaml", cut)
    write(root / "stream/inputs/testing/workload/two_layers.onnx", convolutions(8, 8))
    write(root / "stream/inputs/testing/workload/two_layers_bf16.onnx", products(("gate", "down"), 32, 64, BFLOAT16))

    generic = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
    generic["memories"]["register"].update(size=128)
    for port in generic["memories"]["register"]["ports"]:
        port.update(bandwidth_min=32, bandwidth_max=32)
    generic["memories"]["dram"]["size"] = 10**16  # as much as is needed
    write(root / "inputs/hardware/generic.yaml", generic)
    write(root / "inputs/mapping/weights.yaml", [
        {"name": "default", "spatial_mapping": {"D1": ["K, 4"], "D2": ["C, 4"]},
         "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}},
        {"name": "Add", "spatial_mapping": {"D1": ["G, 1"], "D2": ["C, 1"]}, "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}])
    bits = (("weight_size", 4), ("act_size", 16), ("output_size", 32))
    for stage, rows in (("prefill", 8), ("decode", 1)):
        names = [f"/blocks/blocks.0/{name}/MatMul" for name in ("sa/key_proj", "sa/mul_qk_t", "feedforward_expand")]
        write(root / f"inputs/{stage}.onnx", products(names, rows, 16, bits=bits))

    gpu = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
    gpu["memories"]["buffer"]["ports"].append({**gpu["memories"]["buffer"]["ports"][0]})  # a second port of its name
    gpu["memories"]["dram"]["ports"] = [{**gpu["memories"]["dram"]["ports"][0], "name": f"rw_port_{number}"} for number in (1, 2)]
    gpu["operational_array"]["sizes"] = ["D1_UNITS", "D2_UNITS"]
    write(root / "inputs/template.yaml", gpu)
    write(root / "inputs/mapping.yaml", [{"name": "default", "spatial_mapping": {"D1": ["K, 4"], "D2": ["C, 4"]},
                                          "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}])
    write(root / "inputs/gemm_layer.yaml", [{
        "id": 0, "name": "gemm", "operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]", "loop_dims": ["C", "D", "K"],
        "loop_sizes": [32, 16, 32], "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8},
        "operand_source": {"I": 0, "W": 0}}])


class Field(unittest.TestCase):
    def test_each_script_runs_unchanged(self):
        self.assertEqual(len(SCRIPTS), 13)
        told = (HERE / "README.md").read_text()
        for script in SCRIPTS:
            with self.subTest(script.stem), tempfile.TemporaryDirectory() as folder:
                self.assertIn(f"`{script.name}`", told)
                lay_out(pathlib.Path(folder))
                done = subprocess.run([sys.executable, "-m", "zz.as_zigzag", str(script)], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr[-3000:])

    def test_the_page_has_the_table_of_public_scripts(self):
        page = (HERE.parents[1] / "docs/zigzag-scripts.md").read_text()
        self.assertIn("\n".join(["", *repositories_test.table(), ""]), page)


if __name__ == "__main__":
    unittest.main()
