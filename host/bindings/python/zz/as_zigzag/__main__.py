"""python3 -m zz.as_zigzag [--compat VERSION] (script.py | -m module) [arguments]"""

import argparse
import os
import runpy
import sys

from zz.as_zigzag import install
from zz.as_zigzag.compat import VERSIONS


def _parser():
    parser = argparse.ArgumentParser(prog="python3 -m zz.as_zigzag", description="Runs a script written for ZigZag on zz.")
    parser.add_argument("--compat", choices=VERSIONS, default=VERSIONS[0],
                        help=f"whose figures; 'none' for those of zz (default: {VERSIONS[0]})")
    parser.add_argument("-m", dest="module", metavar="MODULE", nargs=argparse.REMAINDER,
                        help="run a module, as python3 -m does; what follows it is for the module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="script.py [arguments]")
    return parser


def main():
    parser = _parser()
    options = parser.parse_args()
    install(options.compat)
    if options.module:
        sys.argv = options.module
        sys.path[0] = os.getcwd()
        runpy.run_module(options.module[0], run_name="__main__", alter_sys=True)
        return
    if not options.arguments:
        parser.error("which script? python3 -m zz.as_zigzag script.py")
    sys.argv = options.arguments
    sys.path[0] = os.path.dirname(os.path.abspath(options.arguments[0]))
    runpy.run_path(options.arguments[0], run_name="__main__")


main()
