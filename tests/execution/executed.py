#!/usr/bin/env python3
"""Compares zz with the executing reference on random mappings.

usage: executed.py [--mappings 1000] [--start 0] [--jobs 2]     PYTHONPATH leads to the package zz
       executed.py --case SEED                                  one of them, with its inputs

Mappings are random orders, and what LOMA, SALSA and the proven searches find. Ends with 1 where a rule is broken in a way that
compare.py does not know, and with 77 without the package.
"""
import argparse
import json
import logging
import multiprocessing
import sys
from collections import Counter, defaultdict

try:
    import zz
except ImportError:
    print("skipped: no package zz")
    sys.exit(77)
from cases import ORIGINS, Case
from compare import KNOWN, Comparison, Violation
from walk import NotWalked

CHUNK = 25
#: Cases far behind the first ones that broke a rule when they were found.
ONCE_BROKEN = (201020, 204010)


class Refused:
    """zz's audit refuses what its search found."""

    def __init__(self, error):
        self.tally, self.violations = Counter(), [Violation("refused by the audit", str(error))]


def compared(seed):
    """(case, comparison), or (case, None) where nothing fits or the reference cannot follow."""
    case = Case(seed)
    try:
        return case, Comparison(case.evaluate(), case.same_data_free)
    except (zz.NoResult, NotWalked):
        return case, None
    except zz.InputError as error:
        if "break the rule" not in str(error):
            raise
        return case, Refused(error)


def compare_chunk(seeds):
    counts, tally, violations = Counter(), Counter(), []
    for seed in seeds:
        case, comparison = compared(seed)
        counts[case.origin if comparison else "not mapped"] += 1
        if comparison:
            tally += comparison.tally
            violations += [(seed, *violation) for violation in comparison.violations]
    return counts, tally, violations


def compare_all(start, mappings, jobs):
    counts, tally, violations = Counter(), Counter(), defaultdict(list)
    with multiprocessing.Pool(jobs, logging.disable, (logging.CRITICAL,)) as pool:
        # More seeds than mappings, because some have no mapping.
        chunks = [range(begin, begin + CHUNK) for begin in range(start, start + 3 * mappings + 100, CHUNK)]
        for more_counts, more_tally, more in pool.imap(compare_chunk, [ONCE_BROKEN, *chunks]):
            counts += more_counts
            tally += more_tally
            for seed, kind, detail in more:
                violations[kind].append((seed, detail))
            if sum(counts[origin] for origin in ORIGINS) >= mappings:
                break
        pool.terminate()
    return counts, tally, violations


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mappings", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--case", type=int, metavar="SEED")
    options = parser.parse_args()
    if options.case is not None:
        case, comparison = compared(options.case)
        print(json.dumps(case.described(), indent=1))
        print(*(f"{kind}: {detail}" for kind, detail in comparison.violations) if comparison else ["not mapped"], sep="\n")
        return 0
    counts, tally, violations = compare_all(options.start, options.mappings, options.jobs)
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    for (what, verdict), count in sorted(tally.items()):
        print(f"  {what}: {count} {verdict}")
    for kind, found in sorted(violations.items(), key=lambda one: one[0] in KNOWN):
        cases = list(dict.fromkeys(seed for seed, _ in found))
        print(f"{'known' if kind in KNOWN else 'WRONG'}: {kind}: {len(cases)} mappings, as --case {found[0][0]}: {found[0][1]}")
    for kind in KNOWN.keys() - violations.keys():
        print(f"not found: {kind}; if '{KNOWN[kind]}' is built, compare.py need not know it")
    too_few = sum(counts[origin] for origin in ORIGINS) < options.mappings or any(not counts[origin] for origin in ORIGINS)
    return 1 if too_few or violations.keys() - KNOWN.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
