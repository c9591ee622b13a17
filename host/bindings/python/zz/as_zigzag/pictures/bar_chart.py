"""Stacked bars in groups, above a common axis."""

import math

_LEFT, _LEGEND = 64, 150


class BarChart:
    """One panel of a drawing: groups of bars, each a stack of (label, height, colour)."""

    def __init__(self, title, groups, names_below=True):
        """groups: [(name, [(name of the bar, [(label, height, colour)])])]; heights below zero do not show."""
        self.title, self.groups, self.names_below = title, groups, names_below

    def _highest(self):
        return max((sum(max(height, 0) for _, height, _ in stack) for _, bars in self.groups for _, stack in bars),
                   default=0) or 1

    def draw(self, drawing, top, height):
        """Between `top` and `top + height` over the whole width of the drawing."""
        below = 78 if self.names_below else 24
        base, room = top + height - below, height - below - 22
        right = drawing.width - _LEGEND
        scale = room / (1.1 * self._highest())
        slots = sum(len(bars) + 1 for _, bars in self.groups)
        slot = (right - _LEFT) / slots
        drawing.text(_LEFT, top + 12, self.title, size=10, bold=True)
        self._axis(drawing, base, scale, right)
        x = _LEFT + slot / 2
        for group, bars in self.groups:
            tallest = 0
            for number, (name, stack) in enumerate(bars):
                y = base
                for _, amount, colour in stack:
                    if amount > 0:
                        drawing.rectangle(x + number * slot, y - amount * scale, slot, amount * scale, colour)
                        y -= amount * scale
                tallest = max(tallest, base - y)
                if self.names_below:
                    drawing.text(x + (number + 0.7) * slot, base + 4, name, "end", min(7, slot), turned=True)
            middle = x + len(bars) * slot / 2
            total = sum(amount for _, stack in bars for _, amount, _ in stack)
            drawing.text(middle, base - tallest - 4, f"{total:.2e}", "middle", 7, bold=True)
            drawing.text(middle, base + below - 10, group, "middle", 7)
            x += (len(bars) + 1) * slot
        self._legend(drawing, right + 12, top + 22)

    def _axis(self, drawing, base, scale, right):
        drawing.line(_LEFT, base, right, base)
        step = 10 ** math.floor(math.log10(self._highest()))
        step = step if self._highest() / step > 2 else step / 2
        for number in range(int(1.1 * self._highest() / step) + 1):
            y = base - number * step * scale
            drawing.line(_LEFT - 4, y, _LEFT, y)
            drawing.text(_LEFT - 6, y + 3, f"{number * step:.3g}", "end", 7)

    def _legend(self, drawing, x, y):
        colours = {label: colour for _, bars in self.groups for _, stack in bars for label, _, colour in stack}
        for number, (label, colour) in enumerate(colours.items()):
            drawing.rectangle(x, y + 11 * number, 8, 8, colour)
            drawing.text(x + 12, y + 11 * number + 7, label, size=7)
