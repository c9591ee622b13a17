"""Searches the networks of configs/ on every single-core accelerator for optima, and says which are not proven within 1 %.

usage: every_accelerator.py ZZ_OPTIMUM_TABLE [--recorded FOLDER] [--zigzag] [--seconds S] [NAME ...]

Prints the rows of docs/optimal-mapping.md, and on stderr the layers that are open or cannot be mapped. FOLDER has further accelerators
in hardware/, with mappings in mapping/ (../shared/oracle/zigzag/inputs beside a checkout). NAME: only networks or accelerators whose
names contain one of these.
"""
import argparse
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
WORKLOADS = ["resnet18.onnx", "mobilenet_v2.onnx", "alexnet.onnx", "bert_base_encoder.yaml"]


def machines(recorded):
    """(accelerator, mapping) files; recorded accelerators without a mapping of their own take the default one."""
    for path in sorted((SOURCE / "configs/accelerators").glob("*.yaml")):
        if "operational_array" in path.read_text():
            yield path, SOURCE / "configs/mappings" / path.name
    for path in sorted((recorded / "hardware").glob("*.yaml")) if recorded else []:
        own = [recorded / "mapping" / f"{path.stem}{end}.yaml" for end in ("", "_like")]
        imc = "imc" in path.read_text()
        default = recorded / "mapping" / ("default_imc.yaml" if imc else "default.yaml")
        yield path, next((mapping for mapping in own if mapping.exists()), default)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--recorded", type=pathlib.Path)
    parser.add_argument("--zigzag", action="store_true")
    parser.add_argument("--seconds", default="1")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    options = ["--seconds", arguments.seconds] + (["--zigzag"] if arguments.zigzag else [])
    for accelerator, mapping in machines(arguments.recorded):
        for workload in WORKLOADS:
            if arguments.names and not any(name in workload + " " + str(accelerator) for name in arguments.names):
                continue
            print(f"<!-- {workload} {accelerator.parent.name}/{accelerator.stem} -->", flush=True)
            subprocess.run([arguments.tool, *options, SOURCE / "configs/workloads" / workload, accelerator, mapping])


if __name__ == "__main__":
    main()
