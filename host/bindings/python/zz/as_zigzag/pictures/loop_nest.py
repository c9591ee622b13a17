"""The loop nest of a result, with the memory of each operand beside each loop."""


def get_spatial_loops(cme):
    """[(loop, (0, factor), ("", "", ""))], as get_temporal_loops() has them."""
    levels = cme.spatial_mapping_dict_int[cme.layer.output_operand]
    operands = len(cme.layer.memory_operand_links.layer_operands)
    return [(loop, (0, factor), ("",) * operands) for level in levels for loop, factor in level][::-1]


def get_temporal_loops(cme):
    """[(loop, (0, size), (memory of each operand))], innermost first."""
    levels = {}
    for operand, memory in cme.layer.memory_operand_links.layer_and_mem_ops():
        names = [level.name for level in cme.accelerator.memory_hierarchy.get_memory_levels(memory)]
        levels[operand] = [name for name, loops in zip(names, cme.temporal_mapping.mapping_dic_stationary[operand])
                           for _ in loops]
    return [(loop, (0, size), tuple(names[number] for names in levels.values()))
            for number, (loop, size) in enumerate(cme.temporal_mapping.loops)]


def get_memory_names(cme):
    return list({name for _, _, names in get_temporal_loops(cme) for name in names})


def _row(first, others, widths):
    return "".join(text.ljust(width) for text, width in zip((first, *others), widths))


def print_mapping(cme, offsets=2):
    """Prints the loops, outermost first, each level `offsets` spaces further in. Sums have none."""
    if not hasattr(cme, "temporal_mapping"):
        return
    temporal, spatial = get_temporal_loops(cme)[::-1], get_spatial_loops(cme)
    operands = cme.layer.memory_operand_links.layer_operands
    lines = [(" " * offsets * number + f"for {loop} in [0, {size}):", memories)
             for number, (loop, (_, size), memories) in enumerate(temporal)]
    inside = " " * offsets * len(temporal)
    lines_in_space = [(f"{inside}parfor {loop} in [0, {factor}):", memories) for loop, (_, factor), memories in spatial]
    all_lines = lines + lines_in_space
    names = [text for _, memories in all_lines for text in memories] + list(operands)
    widths = [max([len(text) for text, _ in all_lines] + [len("Temporal Loops")]) + 5,
              *[max(map(len, names)) + 5] * len(operands)]
    rule = sum(widths)
    print(f"Loop ordering for {cme.layer.name}")
    for heading, columns, part in (("Temporal Loops", operands, lines),
                                   ("Spatial Loops", [""] * len(operands), lines_in_space)):
        print("=" * rule, _row(heading, columns, widths), "=" * rule, sep="\n")
        for text, memories in part:
            print(_row(text, memories, widths), "-" * rule, sep="\n")
    print()
