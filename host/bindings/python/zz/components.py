"""What a memory, an operation, a converter or a wire costs."""

import json

from zz import _zz
from zz.inputs import expect


def cost(component, **given):
    """What a component costs: {energy, write_energy, area, leakage, access_time, standing, source, ...}.

    component: sram, rf, dram, multiplier, adder, mac, adc or wire.
    given:     what it is asked for: size and width [bit], node [nm], transistors, interface, type, bits, rate, length;
               `zz-host help cost` explains them.

    Each figure is {value, low, high, unit}, the range of its sources; None where nobody knows it. `zz-host cost` does
    the same.

    >>> zz.cost("sram", size=65536, width=128, node=28)["energy"]["value"]
    """
    expect(component=(component, str, 'a name as "sram"'))
    return json.loads(_zz.component_cost(component, {name: str(value) for name, value in given.items()}))
