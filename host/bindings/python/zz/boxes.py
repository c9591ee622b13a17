"""Boxes above each other, joined by lines."""

from zz.drawing import Drawing

_BOX_WIDTH, _BOX_HEIGHT, _GAP = 130, 44, 36


def tree(lines, below):
    """A drawing of boxes, each above those below it.

    lines: {box: its lines of text}, the first of which is bold.
    below: {box: boxes directly below it}, which come before it.
    """
    heights = {}

    def height(box):
        if box not in heights:
            heights[box] = max((height(inner) + 1 for inner in below.get(box, ())), default=0)
        return heights[box]

    rows = {}
    for box in lines:
        rows.setdefault(height(box), []).append(box)
    width = _GAP + max(map(len, rows.values()), default=1) * (_BOX_WIDTH + _GAP)
    drawing = Drawing(width, len(rows) * (_BOX_HEIGHT + _GAP) + _GAP)
    places = {}
    for row, boxes in rows.items():
        left = (width - len(boxes) * (_BOX_WIDTH + _GAP) + _GAP) / 2
        for number, box in enumerate(boxes):
            places[box] = left + number * (_BOX_WIDTH + _GAP), drawing.height - (row + 1) * (_BOX_HEIGHT + _GAP)
    for outer, inners in below.items():
        for inner in inners:
            (x1, y1), (x2, y2) = places[inner], places[outer]
            drawing.line(x1 + _BOX_WIDTH / 2, y1, x2 + _BOX_WIDTH / 2, y2 + _BOX_HEIGHT)
    for box, texts in lines.items():
        x, y = places[box]
        drawing.rectangle(x, y, _BOX_WIDTH, _BOX_HEIGHT, "#dce6f0")
        for line, words in enumerate(texts):
            drawing.text(x + _BOX_WIDTH / 2, y + 13 + 12 * line, words, "middle", bold=line == 0)
    return drawing
