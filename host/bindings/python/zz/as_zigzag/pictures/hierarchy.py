"""The memories of an accelerator as boxes above each other."""

from zz.boxes import tree


def visualize_memory_hierarchy_graph(graph, save_path=""):
    """Draws cme.accelerator.memory_hierarchy, the array being at the bottom. Without a path it is shown."""
    lines = {level.id: (level.name, ", ".join(level.operands), f"x{level.unroll_count}") for level in graph.mem_level_list}
    drawing = tree(lines, {outer: [inner.id for inner, above in graph.edges if above.id == outer] for outer in lines})
    if save_path:
        drawing.save(save_path)
    else:
        drawing.show()
