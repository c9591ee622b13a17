"""Recomputes the tables of docs/optimal-mapping.md.

usage: update_docs.py ZZ_OPTIMUM_TABLE [FOLDER ...]

The networks and accelerators are those of configs/. Each FOLDER has further accelerators with mappings of the same name,
as accelerators/NAME.yaml and mappings/NAME.yaml.
"""
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
WORKLOADS = ["resnet18.onnx", "mobilenet_v2.onnx", "alexnet.onnx", "bert_base_encoder.yaml"]
ACCELERATORS = ["tpu_like", "eyeriss_like", "edge_tpu_like", "ascend_like"]
BY_LAYER = ["tpu_like", "eyeriss_like", "edge_tpu_like"]


def table(tool, arguments):
    """Rows of one comparison; nothing, with a message, where the network cannot be mapped."""
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}", file=sys.stderr)
    return done.stdout if done.returncode == 0 else ""


def replace(text, section, new):
    pattern = re.compile(rf"(<!-- {section} -->\n).*(<!-- end of {section} -->)", re.S)
    return pattern.sub(lambda match: match.group(1) + new + match.group(2), text)


def main():
    tool = sys.argv[1]
    folders = [SOURCE / "configs", *map(pathlib.Path, sys.argv[2:])]
    machines = [(folder / "accelerators" / f"{name}.yaml", folder / "mappings" / f"{name}.yaml")
                for folder in folders[:1] for name in ACCELERATORS]
    machines += [(path, path.parent.parent / "mappings" / path.name)
                 for folder in folders[1:] for path in sorted((folder / "accelerators").glob("*.yaml"))]
    networks = ("| network | accelerator | objective | loss % | proven | largest gap % | median ms | longest ms |\n"
                "|---|---|---|---|---|---|---|---|\n")
    for workload in WORKLOADS:
        for accelerator, mapping in machines:
            networks += table(tool, [SOURCE / "configs/workloads" / workload, accelerator, mapping])
    layers = ""
    for name in BY_LAYER:
        layers += (f"**{name}**\n\n| layer | loops | multisets | energy loss | gap | states | ms | latency loss | gap | states | ms |"
                   " EDP loss | gap | states | ms |\n|" + "---|" * 15 + "\n")
        layers += table(tool, ["--layers", SOURCE / "configs/workloads/resnet18.onnx",
                               SOURCE / f"configs/accelerators/{name}.yaml", SOURCE / f"configs/mappings/{name}.yaml"]) + "\n"
    page = SOURCE / "docs/optimal-mapping.md"
    page.write_text(replace(replace(page.read_text(), "networks", networks), "layers", layers.rstrip("\n") + "\n"))


if __name__ == "__main__":
    main()
