"""Measures how often optima are proven and how long it takes, and writes docs/measurements/proven-optima.md.

usage: update_docs.py ZZ_OPTIMUM_TABLE [--only SECTION ...] [--recorded FOLDER] [--zigzag] [--seconds S]

Networks and accelerators are those of configs/. FOLDER has further accelerators in hardware/, with mappings in mapping/
(../shared/oracle/zigzag/inputs beside a checkout); without it the section `recorded` stays as it is. Sections: within, joint,
networks, layers, recorded. --zigzag: with ZigZag's own figures. Layers that are not proven within 1 %, or do not fit, are named on stderr.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = SOURCE / "docs/measurements/proven-optima.md"
WORKLOADS = ["resnet18.onnx", "mobilenet_v2.onnx", "alexnet.onnx", "bert_base_encoder.yaml"]
ACCELERATORS = ["tpu_like", "eyeriss_like", "edge_tpu_like", "ascend_like"]
PLAIN = ["ascend_like", "edge_tpu_like", "eyeriss_like", "gemmini_like", "nvdla_like", "shidiannao_like", "simba_like", "tpu_like"]
BY_LAYER = ["tpu_like", "eyeriss_like", "edge_tpu_like"]
OBJECTIVES = ["energy", "latency", "EDP"]

PREAMBLE = """# Measurements: proven-optimal mappings

Written by `tools/optimum_table/update_docs.py`; do not edit. [Proven-optimal mappings](../optimal-mapping.md) explains
the search.

Times are processor time of one thread for a layer. A search stops after one second. *Proven*: searches for layers that
differ, with a gap of 0. *Loss*: by how much a limited search is worse, in the sum over all layers of a network. Ties
are not broken.

"""
TITLES = {
    "within": """## All pairs with several loops side by side, and the energy close to the least latency

Latency, proven to 1 %, and of the pairs at most 0.1 % slower the one of least energy, also proven to 1 %. Seconds are
processor time for all layers that differ; *alone*: the latency only. A search stops after ten seconds a layer.
*Latency* and *energy*: of the pair taken, against the pair that the search for the latency alone ends with.

""",
    "joint": """## Spatial and temporal mappings together

The optimum of all pairs, compared with optimal temporal mappings under the unrolling of the mapping file, and under the
generator's best three when nothing is prescribed. Those searches stop after a quarter of a second. Spatial mappings and
searches are per layer, on average. On `tpu_like` the file has no unrolling for depthwise convolutions, which then run
on one unit.

""",
    "networks": """## Temporal mappings: what a limit of six factors loses

The optimum of `space: free`, compared with ZigZag's default search of at most six loop factors, both under the mapping
file's unrolling or the generator's best three. *None fits*: of some layer, no order of six factors fits into the
memories, while finer ones do.

""",
    "layers": "## ResNet-18, layer by layer\n\nLoss in %, gap in %, states, and processor time in ms.\n\n",
    "recorded": """## Every recorded accelerator

Layers of the four networks that differ and fit, on the accelerators that ZigZag was recorded on, and how many of them
are proven within a second; in brackets the largest gap of the others.

"""}
WITHIN = ("| network | accelerator | latency proven | largest gap % | alone, s | both proven | both, s | latency % | energy % |\n"
          "|" + "---|" * 9 + "\n")
NETWORKS = ("| network | accelerator | objective | loss % | proven | largest gap % | median ms | longest ms |\n"
            "|---|---|---|---|---|---|---|---|\n")
JOINT = ("| network | accelerator | objective | file's unrolling: loss % | best three: loss % | proven | largest gap % |"
         " spatial mappings | searched | median ms | longest ms |\n|" + "---|" * 11 + "\n")
LAYERS = ("| layer | loops | multisets | energy loss | gap | states | ms | latency loss | gap | states | ms |"
          " EDP loss | gap | states | ms |\n|" + "---|" * 15 + "\n")
RECORDED = "| recorded accelerator | layers | energy | latency | EDP |\n|---|---|---|---|---|\n"


def configured(name):
    """The (accelerator, mapping) files of an accelerator of configs/."""
    return SOURCE / f"configs/accelerators/{name}.yaml", SOURCE / f"configs/mappings/{name}.yaml"


def recorded(folder):
    """(accelerator, mapping) files; accelerators without a mapping of their own take the default one."""
    for path in sorted((folder / "hardware").glob("*.yaml")):
        own = [folder / "mapping" / f"{path.stem}{end}.yaml" for end in ("", "_like")]
        default = folder / "mapping" / ("default_imc.yaml" if "imc" in path.read_text() else "default.yaml")
        yield path, next((mapping for mapping in own if mapping.exists()), default)


class Tables:
    def __init__(self, tool, options):
        self.tool, self.options = tool, options
        self.workloads = [SOURCE / "configs/workloads" / workload for workload in WORKLOADS]

    def rows(self, *arguments):
        """Rows of one comparison; nothing, with a message, where the network cannot be mapped."""
        done = subprocess.run([self.tool, *self.options, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(" ".join(map(str, arguments)), "failed", file=sys.stderr)
        return done.stdout if done.returncode == 0 else ""

    def joint(self):
        return JOINT + "".join(self.rows("--joint", workload, *configured(name)) for workload in self.workloads for name in ACCELERATORS)

    def within(self):
        any_unrolling = SOURCE / "configs/mappings/any_unrolling.yaml"
        return WITHIN + "".join(self.rows("--within", "--seconds", "10", workload, configured(name)[0], any_unrolling)
                                for workload in self.workloads[:2] for name in PLAIN)

    def networks(self):
        return NETWORKS + "".join(self.rows(workload, *configured(name)) for workload in self.workloads for name in ACCELERATORS)

    def layers(self):
        return "\n".join(f"**{name}**\n\n{LAYERS}" + self.rows("--layers", self.workloads[0], *configured(name)) for name in BY_LAYER)

    def recorded(self, folder):
        """One row an accelerator: proven layers of all networks together, by objective."""
        proven, layers, gaps = (collections.defaultdict(collections.Counter) for _ in range(3))
        for files in recorded(folder):
            accelerator = files[0].stem
            for workload in self.workloads:
                for row in self.rows(workload, *files).splitlines():
                    _, _, _, objective, _, counts, gap, *_ = (cell.strip() for cell in row.split("|"))
                    some, of_all = map(int, counts.split(" of "))
                    proven[accelerator][objective] += some
                    layers[accelerator][objective] += of_all
                    gaps[accelerator][objective] = max(gaps[accelerator][objective], float(gap))
        text = RECORDED
        for accelerator, counts in proven.items():
            cells = [f"{counts[name]} ({gaps[accelerator][name]} %)" if gaps[accelerator][name] else f"{counts[name]}"
                     for name in OBJECTIVES]
            text += f"| {accelerator} | {layers[accelerator]['energy']} | {' | '.join(cells)} |\n"
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--only", nargs="*", choices=TITLES, default=list(TITLES))
    parser.add_argument("--recorded", type=pathlib.Path)
    parser.add_argument("--zigzag", action="store_true")
    parser.add_argument("--seconds", default="1")
    arguments = parser.parse_args()
    tables = Tables(arguments.tool, ["--seconds", arguments.seconds] + (["--zigzag"] if arguments.zigzag else []))
    old = PAGE.read_text() if PAGE.exists() else ""
    text = PREAMBLE
    for section, title in TITLES.items():
        measured = re.search(rf"<!-- {section} -->\n(.*)<!-- end of {section} -->", old, re.S)
        if section not in arguments.only or (section == "recorded" and not arguments.recorded):
            body = measured[1] if measured else ""
        else:
            body = tables.recorded(arguments.recorded) if section == "recorded" else getattr(tables, section)()
        text += f"{title}<!-- {section} -->\n{body}<!-- end of {section} -->\n\n"
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text.rstrip() + "\n")


if __name__ == "__main__":
    main()
