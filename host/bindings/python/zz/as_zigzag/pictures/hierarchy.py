"""The memories of an accelerator as boxes above each other."""

from zz.as_zigzag.pictures.drawing import Drawing

_BOX_WIDTH, _BOX_HEIGHT, _GAP = 130, 44, 36


def _heights(hierarchy):
    """{id of a memory: boxes below it}."""
    heights = {level.id: 0 for level in hierarchy.mem_level_list}
    for level in hierarchy.mem_level_list:  # from the array outwards
        for inner, outer in hierarchy.edges:
            if inner.id == level.id:
                heights[outer.id] = max(heights[outer.id], heights[inner.id] + 1)
    return heights


def visualize_memory_hierarchy_graph(graph, save_path=""):
    """Draws cme.accelerator.memory_hierarchy, the array being at the bottom. Without a path it is shown."""
    heights = _heights(graph)
    rows = [[level for level in graph.mem_level_list if heights[level.id] == height]
            for height in range(max(heights.values()) + 1)]
    width = _GAP + max(map(len, rows)) * (_BOX_WIDTH + _GAP)
    drawing = Drawing(width, len(rows) * (_BOX_HEIGHT + _GAP) + _GAP)
    places = {}
    for height, row in enumerate(rows):
        left = (width - len(row) * (_BOX_WIDTH + _GAP) + _GAP) / 2
        for number, level in enumerate(row):
            places[level.id] = (left + number * (_BOX_WIDTH + _GAP),
                                drawing.height - (height + 1) * (_BOX_HEIGHT + _GAP))
    for inner, outer in graph.edges:
        (x1, y1), (x2, y2) = places[inner.id], places[outer.id]
        drawing.line(x1 + _BOX_WIDTH / 2, y1, x2 + _BOX_WIDTH / 2, y2 + _BOX_HEIGHT)
    for level in graph.mem_level_list:
        x, y = places[level.id]
        drawing.rectangle(x, y, _BOX_WIDTH, _BOX_HEIGHT, "#dce6f0")
        for line, words in enumerate((level.name, ", ".join(level.operands), f"x{level.unroll_count}")):
            drawing.text(x + _BOX_WIDTH / 2, y + 13 + 12 * line, words, "middle", bold=line == 0)
    if save_path:
        drawing.save(save_path)
    else:
        drawing.show()
