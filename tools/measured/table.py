"""One line for each part of a set."""
import sets
from points import errors

FORMS = {"n": "{:d}", "mean_ape": "{:.1f}", "median_ape": "{:.1f}", "geometric": "{:.2f}", "spearman": "{:.3f}", "ratio": "{:.2f}",
         "roofline_mean_ape": "{:.1f}"}
HEAD = ["set", "figure", "points", "mean error [%]", "median error [%]", "geometric error", "Spearman", "zz / measured, median", "roofline [%]"]


def of(points):
    """{"set/part": errors} of {"set/part": Points}."""
    return {name: errors(own) for name, own in points.items()}


def for_programs(figures):
    """Those that --json prints: of rooflines where points have them."""
    rooflines = ("roofline_mean_ape", "calibrated_roofline_mean_ape")
    return {key: figures[key] for key in ("n", "mean_ape", "median_ape", "spearman", *(one for one in rooflines if figures[one] is not None))}


def rows(found):
    """The texts of the lines."""
    return [[name, sets.part_of(name).figure, *("-" if figures[column] is None else form.format(figures[column]) for column, form in FORMS.items())]
            for name, figures in found.items()]
