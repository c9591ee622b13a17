"""Energy of the wires of one evaluation: what each access of a memory costs per bit and mm, from a table."""
import json
import sys

prices = json.load(open(sys.argv[1]))
evaluation = json.load(sys.stdin)
energy = 0
for operand in evaluation["operands"]:
    for level in operand["levels"]:
        energy += sum(level["accesses"].values()) * prices[level["memory"]]
print(json.dumps({"wire_energy": energy}))
