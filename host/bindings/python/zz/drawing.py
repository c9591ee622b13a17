"""Rectangles, lines and texts, written as a file: SVG by itself, other formats with matplotlib."""

import html
import logging
import os

from zz.inputs import how_to_install

_log = logging.getLogger("zz")


class Drawing:
    """Points from the upper left corner, 72 to the inch. Colours as "#8090a0"."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self._rectangles, self._lines, self._texts = [], [], []

    def rectangle(self, x, y, width, height, fill, stroke="#303030"):
        self._rectangles.append((x, y, width, height, fill, stroke))

    def line(self, x1, y1, x2, y2, stroke="#303030"):
        self._lines.append((x1, y1, x2, y2, stroke))

    def text(self, x, y, words, anchor="start", size=8, turned=False, bold=False):
        """`anchor` is start, middle or end; turned texts read upwards, and end at (x, y) with "end"."""
        self._texts.append((x, y, words, anchor, size, turned, bold))

    def svg(self):
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}pt" height="{self.height:g}pt" '
                 f'viewBox="0 0 {self.width:g} {self.height:g}" font-family="sans-serif">',
                 f'<rect width="{self.width:g}" height="{self.height:g}" fill="white"/>']
        parts += [f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{stroke}" stroke-width="0.6"/>'
                  for x1, y1, x2, y2, stroke in self._lines]
        parts += [f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{fill}" '
                  f'stroke="{stroke}" stroke-width="0.4"/>' for x, y, width, height, fill, stroke in self._rectangles]
        for x, y, words, anchor, size, turned, bold in self._texts:
            turn = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if turned else ""
            weight = ' font-weight="bold"' if bold else ""
            parts.append(f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" text-anchor="{anchor}"{weight}{turn}>'
                         f"{html.escape(words)}</text>")
        return "\n".join([*parts, "</svg>\n"])

    def figure(self):
        """The same as a figure of matplotlib."""
        from matplotlib import patches, pyplot
        figure = pyplot.figure(figsize=(self.width / 72, self.height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.set_axis_off()
        for x1, y1, x2, y2, stroke in self._lines:
            axes.plot((x1, x2), (y1, y2), color=stroke, linewidth=0.6)
        for x, y, width, height, fill, stroke in self._rectangles:
            axes.add_patch(patches.Rectangle((x, y), width, height, facecolor=fill, edgecolor=stroke, linewidth=0.4,
                                             zorder=2))
        sides = {"start": ("left", "bottom"), "middle": ("center", "center"), "end": ("right", "top")}
        for x, y, words, anchor, size, turned, bold in self._texts:
            across, along = sides[anchor]
            axes.text(x, y, words, fontsize=size, weight="bold" if bold else "normal", zorder=3,
                      horizontalalignment="right" if turned else across,
                      verticalalignment=along if turned else "baseline", rotation=90 if turned else 0)
        return figure

    def save(self, path):
        """Writes the file; where matplotlib is missing, formats other than SVG become SVG, and a warning says so."""
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        stem, suffix = os.path.splitext(path)
        if suffix != ".svg":
            try:
                figure = self.figure()
            except ImportError:
                _log.warning("%s is written as %s.svg: other formats need matplotlib (%s)",
                             path, stem, how_to_install("matplotlib"))
                path = f"{stem}.svg"
            else:
                from matplotlib import pyplot
                figure.savefig(path, dpi=150)
                pyplot.close(figure)
                return
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg())

    def show(self):
        """In the notebook, or in a window of matplotlib."""
        try:
            from IPython import get_ipython
            notebook = get_ipython()
        except ImportError:
            notebook = None
        if notebook is not None:
            from IPython.display import SVG, display
            display(SVG(self.svg()))
            return
        try:
            self.figure()
        except ImportError:
            raise ImportError(f"to show a picture needs matplotlib ({how_to_install('matplotlib')}); "
                              "with save_path='picture.svg' it is written without") from None
        from matplotlib import pyplot
        pyplot.show()
        pyplot.close()
