"""The command line of ZigZag's scripts."""

import argparse


def get_arg_parser():
    """A parser of --model, --mapping and --accelerator, all of them required."""
    parser = argparse.ArgumentParser(description="A network on an accelerator")
    parser.add_argument("--model", metavar="PATH", required=True, help="an ONNX or YAML file of the network")
    parser.add_argument("--mapping", metavar="PATH", required=True, help="a YAML file of mappings")
    parser.add_argument("--accelerator", metavar="PATH", required=True, help="a YAML file of the accelerator")
    return parser
