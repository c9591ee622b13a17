"""Integers where ZigZag counts in integers: figures of zz are floats."""


def whole(figure):
    """An int for a whole number, which cycles and counts are in ZigZag unless something divided them."""
    return int(figure) if isinstance(figure, float) and figure.is_integer() else figure


def counted_with(figure, *costs):
    """A product of counts with costs: whole where all of the costs are, as numbers of an input file."""
    return whole(figure) if all(isinstance(cost, int) for cost in costs) else figure
