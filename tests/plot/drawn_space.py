"""usage: drawn_space.py ZZ_HOST

Explores a space by grid and by proof, opens the page of each store in headless Chromium, and holds what it draws to the store: the
front, the boxes, what a step of an axis brings, the layers, and what brushes select. Ends with 77 (skipped) without Chromium.
"""
import csv
import io
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

from browser import browse, chromium_or_skip

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

STAGE = """  - ExplorationStage:
      axes:
        memories.buffer.size: {from: 2048, to: 65536, factor: 2}
        memories.dram.ports[port].bandwidth_max: [64, 128]
      linked: {memories.buffer.r_cost: "0.05 * sqrt(memories.buffer.size)", memories.buffer.w_cost: memories.buffer.r_cost}
      metrics: {area: "memories.buffer.size / 1024 + memories.dram.ports[port].bandwidth_max"}
      objectives: [latency, area, energy]
      constraints: ["area <= 190"]
"""
# In the picture: the left half of the scatter, then the lower half of the first axis.
BRUSH = """<script>
const drag = (chart, from, to) => {
  const box = chart.over.getBoundingClientRect();
  const send = (kind, [x, y]) => chart.over.dispatchEvent(new PointerEvent(kind, {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
  send("pointerdown", from); send("pointermove", to); send("pointerup", to);
};
drag(scatter, [0, 0], [380, 460]); root.dataset.first = root.dataset.selected;
root.dataset.expected = places.filter(place => X(levels[data.objectives[0]][place]) <= 380).length;
document.getElementById("clear").click(); root.dataset.cleared = root.dataset.selected;
drag(parallel, [70, 200], [70, 400]); root.dataset.second = root.dataset.selected;
const half = lineY[columns[0]];
root.dataset.lower = places.filter(place => half(levels[columns[0]][place]) >= 200).length;
</script>"""


def run(folder, *arguments):
    done = subprocess.run([sys.argv[1], *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def explore(folder, strategy):
    text_case.prepare({}, folder)
    text = (folder / "pipeline.yaml").read_text().replace("  - SimpleSaveStage\n", STAGE + f"      strategy: {strategy}\n      store: {strategy}.sqlite\n")
    text = text.replace("  - CompleteSaveStage\n", "").replace("  dump_folder: out\n", "").replace("  loma_lpf_limit: 6\n", "")
    text = text[:text.index("  - MinimalLatencyStage")] + "  - MinimalLatencyStage\n  - OptimalMappingStage\n  - CostModelStage\n"
    port = re.search(r"dram:.*?name: (\w+)", (folder / "accelerator.yaml").read_text(), re.DOTALL)
    (folder / "pipeline.yaml").write_text(text.replace("ports[port]", f"ports[{port.group(1)}]"))
    run(folder, "pipeline.yaml")
    run(folder, "front", f"{strategy}.sqlite", "--page", f"{strategy}.html")
    front = list(csv.DictReader(io.StringIO(run(folder, "front", f"{strategy}.sqlite", "--format=csv"))))
    with sqlite3.connect(folder / f"{strategy}.sqlite") as file:
        file.row_factory = sqlite3.Row
        rows = {row["point"]: row for row in file.execute("SELECT * FROM figures")}
        boxes = file.execute("SELECT count(*) FROM box").fetchone()[0]
    return front, rows, boxes


def check_front(drawn, front):
    shown = sorted((int(point), float(x), float(y)) for point, x, y in drawn.shapes["front"])
    assert shown == sorted((int(row["point"]), float(row["latency"]), float(row["area"])) for row in front), shown
    text = "".join(drawn.text)
    assert "Ideal points" in text and f"{len(front)} of them on the front" in text, text[:500]


chromium = chromium_or_skip()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    front, rows, boxes = explore(folder, "grid")
    page = folder / "grid.html"
    page.write_text(page.read_text().replace("</body>", BRUSH + "</body>"))
    drawn = browse(chromium, page)
    check_front(drawn, front)
    assert len(front) > 1 and boxes == 0 and not drawn.shapes["box"]
    first = int(front[0]["point"])
    assert drawn.root["data-chosen"] == str(first)
    # A step of an axis brings what the store says of the neighbour, to the last digit that is shown.
    steps = drawn.shapes["step"]
    assert len(steps) >= 2 and all(int(step[0]) == first for step in steps), steps
    for _, number, *changes in steps:
        row = rows[int(number)]
        expected = [f"{100 * (row[name] / rows[first][name] - 1):+.2f} %" if row["state"] == "done" else "-" for name in ("latency", "area", "energy")]
        assert [change.replace("-0.00", "+0.00") for change in changes] == [one.replace("-0.00", "+0.00") for one in expected], (number, changes, expected)
    # Each pair of the three objectives is drawn small.
    assert sorted(map(tuple, drawn.shapes["pair"])) == [("area", "energy"), ("latency", "area"), ("latency", "energy")], drawn.shapes["pair"]
    # Layers sum up to the design.
    layers = drawn.shapes["layer"]
    for place, figure in ((1, "energy"), (2, "latency")):
        total = sum(float(layer[place]) for layer in layers)
        assert abs(total / rows[first][figure] - 1) < 1e-9, (layers, rows[first][figure])
    selected = drawn.root
    assert selected["data-first"] == selected["data-expected"] and selected["data-second"] == selected["data-lower"], selected
    assert 0 < int(selected["data-first"]) < int(selected["data-cleared"]) and 0 < int(selected["data-second"]) < int(selected["data-cleared"]), selected

    front, rows, boxes = explore(folder, "proof")
    drawn = browse(chromium, folder / "proof.html")
    check_front(drawn, front)
    assert len(drawn.shapes["box"]) > 0, "no box is shown"
print("front, steps, layers, boxes and brushes are those of the stores")
