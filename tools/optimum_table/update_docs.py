"""Recomputes the tables of docs/optimal-mapping.md.

usage: update_docs.py ZZ_OPTIMUM_TABLE [--joint] [FOLDER ...]

The networks and accelerators are those of configs/. Each FOLDER has further accelerators with mappings of the same name,
as accelerators/NAME.yaml and mappings/NAME.yaml. --joint: only the table of joint optima.
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


NETWORKS = ("| network | accelerator | objective | loss % | proven | largest gap % | median ms | longest ms |\n"
            "|---|---|---|---|---|---|---|---|\n")
JOINT = ("| network | accelerator | objective | file's unrolling: loss % | best three: loss % | proven | largest gap % |"
         " spatial mappings | searched | median ms | longest ms |\n|" + "---|" * 11 + "\n")
LAYERS = ("| layer | loops | multisets | energy loss | gap | states | ms | latency loss | gap | states | ms |"
          " EDP loss | gap | states | ms |\n|" + "---|" * 15 + "\n")


def main():
    tool, *options = sys.argv[1:]
    folders = [SOURCE / "configs", *(pathlib.Path(option) for option in options if option != "--joint")]
    machines = [(folder / "accelerators" / f"{name}.yaml", folder / "mappings" / f"{name}.yaml")
                for folder in folders[:1] for name in ACCELERATORS]
    machines += [(path, path.parent.parent / "mappings" / path.name)
                 for folder in folders[1:] for path in sorted((folder / "accelerators").glob("*.yaml"))]
    workloads = [SOURCE / "configs/workloads" / workload for workload in WORKLOADS]
    sections = {"joint": JOINT + "".join(table(tool, ["--joint", workload, *machine])
                                         for workload in workloads for machine in machines)}
    if "--joint" not in options:
        sections["networks"] = NETWORKS + "".join(table(tool, [workload, *machine])
                                                  for workload in workloads for machine in machines)
        sections["layers"] = "\n".join(
            f"**{name}**\n\n{LAYERS}" + table(tool, ["--layers", workloads[0], SOURCE / f"configs/accelerators/{name}.yaml",
                                                     SOURCE / f"configs/mappings/{name}.yaml"]) for name in BY_LAYER)
    page = SOURCE / "docs/optimal-mapping.md"
    text = page.read_text()
    for section, new in sections.items():
        text = replace(text, section, new)
    page.write_text(text)


if __name__ == "__main__":
    main()
