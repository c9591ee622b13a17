"""Chips that compute in memory: the array alone, every cell at work."""
import runs
from points import Point

#: Bits of the converters, from the same source as the rows, which do not have them.
CONVERTER_BITS = {"AIMC1": 6, "AIMC2": 5, "AIMC3": 3}
REPEATS = 256  # inputs for each weight


def power_of_two(bits):
    """zz feeds in so many bits: AIMC1's 7 count as 8."""
    return 1 << (int(bits) - 1).bit_length()


def machine(row):
    made = runs.machine("in_memory")
    analog, weight_bits = row["kind"] == "analog", int(row["weight_bits"])
    made["operational_array"].update(imc_type=row["kind"], input_precision=[power_of_two(row["input_bits"]), weight_bits],
                                     bit_serial_precision=power_of_two(row["bits_per_cycle"]),
                                     sizes=[int(row["cols"]), int(row["rows"]), int(row["macros"])])
    if analog:
        made["operational_array"]["adc_resolution"] = CONVERTER_BITS[row["id"]]
    made["memories"]["cells"]["size"] = weight_bits * int(row["cell_groups"])
    return made


def layer(row):
    """A product that fills the array."""
    sizes = {"G": int(row["macros"]), "B": REPEATS, "K": int(row["cols"]), "C": int(row["rows"])}
    bits = {"W": int(row["weight_bits"]), "I": power_of_two(row["input_bits"]), "O": 32, "O_final": 32}
    made = runs.layer("Gemm", "O[g][b][k]+=W[g][k][c]*I[g][b][c]", sizes, bits)
    return made, {"spatial_mapping": {"D1": [f"K, {sizes['K']}"], "D2": [f"C, {sizes['C']}"], "D3": [f"G, {sizes['G']}"]},
                  "temporal_ordering": [["B", REPEATS]]}


def evaluated(rows):
    for row in rows:
        yield from runs.evaluated([row], machine(row), layer, runs.PRESCRIBED)


def macro_points(rows):
    for row, evaluation in evaluated(rows):
        figures = evaluation["imc"]
        label = f"{row['id']}, {row['paper']}"
        operations = 2 * evaluation["layer"]["mac_count"]
        if row["id"] != "DIMC2":  # its conditions are not known
            # The source normalises DIMC4 to operations of one bit.
            bits = int(row["input_bits"]) * int(row["weight_bits"]) if row["id"] == "DIMC4" else 1
            yield Point("efficiency", label, float(row["TOPS_per_W"]), operations * bits / evaluation["mac_energy"])
        yield Point("area", label, float(row["area_mm2"]), figures["imc_area"])
        yield Point("clock", label, float(row["clock_ns"]), figures["tclk"])


def colonnade(row):
    """The chip with the bits of a row; None for rows that zz cannot express: other voltages than 0.8 V, next to the 0.9 V of its
    model, and bits that are no power of two."""
    conditions = dict(item.split("=") for item in row["conditions"].split(";") if "=" in item)
    if not row["chip"].startswith("Colonnade") or row["quantity"] != "energy" or conditions.get("V") != "0.8":
        return None
    inputs, weights = int(conditions["input_bits"]), int(conditions["weight_bits"])
    if power_of_two(inputs) != inputs or power_of_two(weights) != weights:
        return None
    return {"kind": "digital", "rows": 128, "cols": 128 // weights, "macros": 1, "cell_groups": 1, "input_bits": inputs, "weight_bits": weights,
            "bits_per_cycle": 1, "value": row["value"]}


def silicon_points(rows):
    for chip, evaluation in evaluated(chip for row in rows if (chip := colonnade(row)) is not None):
        yield Point("colonnade", f"{chip['input_bits']} x {chip['weight_bits']} bits", float(chip["value"]),
                    1000 * evaluation["mac_energy"] / evaluation["layer"]["mac_count"])
