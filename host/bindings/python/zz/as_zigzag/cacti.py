"""What ZigZag asks CACTI for, answered by the cost library of zz (docs/costs.md): pJ an access, mm2, ns."""

from zz.components import cost

_NODE = 22  # nm: what ZigZag asks for where nobody says
_NONE = {"value": float("nan")}


def _answer(mem_type, bits, width, node):
    if mem_type == "dram":
        return cost("dram", interface="ddr3", width=int(width))  # as ZigZag configures CACTI
    return cost("rf" if mem_type == "rf" else "sram", size=int(bits), width=int(width), node=node)


def _figures(answer, *names):
    return tuple((answer[name] or _NONE)["value"] for name in names)


def get_cacti_cost(cacti_path, tech_node, mem_type, mem_size_in_byte, bw, hd_hash="a"):
    """(access time [ns], area [mm2], pJ of a read, pJ of a write); tech_node in um. nan: nobody knows it."""
    answer = _answer(mem_type, mem_size_in_byte * 8, bw, round(tech_node * 1000))
    return _figures(answer, "access_time", "area", "energy", "write_energy")


def get_w_cost_per_weight_from_cacti(cacti_path, tech_param, hd_param, dimensions):
    """pJ to write a weight into the cells of an array that computes in its memory."""
    width = dimensions[hd_param["wordline_dimension"]] * hd_param["weight_precision"]
    size = width * dimensions[hd_param["bitline_dimension"]] * hd_param["group_depth"] / 8
    *_, write = get_cacti_cost(cacti_path, tech_param["tech_node"], "sram", size, width)
    return round(write * hd_param["weight_precision"] / width, 3)


class CactiParser:
    """Costs of memories by size and width; nothing is kept in a file."""

    def get_item(self, *, mem_name, mem_type, size, r_bw, r_port, w_port, rw_port, bank, technology=_NODE / 1000, **_):
        """(pJ of a read, pJ of a write, mm2); technology in um."""
        return _figures(_answer(mem_type, size, r_bw, round(technology * 1000)), "energy", "write_energy", "area")
