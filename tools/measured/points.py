"""Points of the ledger, and what a set of them says."""
import math
from collections import namedtuple

#: What was measured, or published, beside what zz says. `part` of a set, or ""; `predicted` is None where zz says nothing. Of a
#: latency also what a roofline says, and one whose two numbers were fitted.
Point = namedtuple("Point", "part row measured predicted roofline calibrated_roofline", defaults=(None, None))


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def ranks(values):
    """1 for the smallest; equal ones share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found, begin = [0.0] * len(values), 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            found[i] = (begin + 1 + end) / 2
        begin = end
    return found


def spearman(first, second):
    """None where one of them does not vary."""
    a, b = ranks(first), ranks(second)
    mean = (len(a) + 1) / 2
    spread = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / spread if spread else None


def errors(points):
    """{n, mean_ape, median_ape [%], geometric: the factor that a prediction is off by in the geometric mean, spearman, and
    the median of predicted over measured}; and the mean errors of rooflines, None where points have none."""
    def mean_of(rooflines):
        return None if None in rooflines else sum(abs(r / m - 1) * 100 for r, m in zip(rooflines, measured)) / len(measured)

    measured, predicted = [point.measured for point in points], [point.predicted for point in points]
    off = [abs(p / m - 1) * 100 for p, m in zip(predicted, measured)]
    return {"n": len(points), "mean_ape": sum(off) / len(off), "median_ape": median(off),
            "geometric": math.exp(sum(abs(math.log(p / m)) for p, m in zip(predicted, measured)) / len(off)),
            "spearman": spearman(predicted, measured), "ratio": median([p / m for p, m in zip(predicted, measured)]),
            "roofline_mean_ape": mean_of([point.roofline for point in points]),
            "calibrated_roofline_mean_ape": mean_of([point.calibrated_roofline for point in points])}
