"""Constants of an accelerator, read off measured layers."""

import csv
import io
import json
import os

from zz import _zz
from zz.inputs import Inputs, expect_names, expect_path, expect_threads
from zz.pipelines import _warn


def _rows_as_text(rows):
    """Rows as a file of comma-separated values has them."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def calibrate(accelerator, measurements, keys=None, *, workload=None, mapping=None, precision=None, output=None, threads=1):
    """Reads constants of an accelerator off measured layers, and says how far it is off on layers that were not fitted.

    accelerator:  a path or a dict, with one core.
    measurements: a path of comma-separated values, or a list of dicts: sizes of a layer (tokens, C, K; or B, K, C, OY, OX,
                  FY, FX), or its name in ``workload`` (layer); and measured_cycles, or measured_ns, _us, _ms, _s.
    keys:         names of the constants, as ["operational_array.efficiency", "memories.dram.efficiency"]; None: the
                  efficiency of the array and of the ports of the topmost memories.
    workload:     a path or a list of layers, which rows name.
    mapping:      a path or a list of entries, what is prescribed for each layer; None: the mapping of least latency counts.
    precision:    bits of weights, inputs and results; None: those of the accelerator's units.
    output:       the path of the accelerator file with the constants; None writes none.
    threads:      0: all there are.

    Returns {constants: [{key, before, after, matters}], errors: [{kind, rows, before, after, roofline,
    calibrated_roofline}], ...} with mean absolute errors in percent of the half of the rows that was not fitted.
    `zz-host calibrate` does the same.

    >>> zz.calibrate("chip.yaml", "measured.csv", output="calibrated.yaml")["errors"][0]["after"]
    """
    inputs = Inputs()
    if isinstance(measurements, (str, os.PathLike)):
        rows = os.fspath(measurements)
    else:
        rows = "<measurements>.csv"
        if not hasattr(measurements, "__iter__"):
            raise TypeError(f"measurements={measurements!r}: expected a path or a list of dicts")
        inputs.files[rows] = _rows_as_text([dict(row) for row in measurements])
    expect_names("a list of names", keys=keys)
    made = json.loads(_zz.calibrate(inputs.file("accelerator", accelerator), rows, list(() if keys is None else keys),
                                    "" if workload is None else inputs.file("workload", workload),
                                    "" if precision is None else str(precision), "" if mapping is None else inputs.file("mapping", mapping),
                                    expect_path(output=output), inputs.files, expect_threads(threads)))
    for text in made.pop("warnings"):
        _warn(text)
    return made
