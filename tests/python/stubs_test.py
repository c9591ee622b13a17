"""The type stubs name what the package has, with the same arguments, and nothing else."""

import ast
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import zz
from small import INPUTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUBS = ast.parse((pathlib.Path(zz.__file__).parent / "__init__.pyi").read_text())
CLASSES = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUBS.body if isinstance(node, ast.FunctionDef)}
ALIASES = {node.targets[0].id: node.value for node in STUBS.body if isinstance(node, ast.Assign)}
VARIABLES = {node.target.id for node in STUBS.body if isinstance(node, ast.AnnAssign)}


def arguments(node):
    given = node.args
    return [argument.arg for argument in (*given.args, *given.kwonlyargs, given.kwarg) if argument]


def stubbed_functions():
    for node in STUBS.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{member.name}", member) for member in node.body if isinstance(member, ast.FunctionDef))


def literal_arguments(node):
    """Of a function the arguments that are one of some words, with these."""
    for argument in (*node.args.args, *node.args.kwonlyargs):
        words = set()
        for part in ast.walk(argument.annotation or ast.Constant(None)):
            part = ALIASES.get(part.id, part) if isinstance(part, ast.Name) else part
            if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and part.value.id == "Literal":
                words |= {word.value for word in ast.walk(part.slice) if isinstance(word, ast.Constant)}
        if words - {True, False}:
            yield argument.arg, words


class Wrong:
    """Nothing takes it."""

    def __repr__(self):
        return "something wrong"


class Stubs(unittest.TestCase):
    def test_all_public_names_are_there(self):
        self.assertLessEqual(set(zz.__all__), set(CLASSES) | set(FUNCTIONS) | VARIABLES)

    def test_functions_take_the_same_arguments(self):
        for name, node in FUNCTIONS.items():
            if not inspect.isfunction(getattr(zz, name)):
                continue  # functions of the native part have no signature
            self.assertEqual(arguments(node), list(inspect.signature(getattr(zz, name)).parameters), name)

    def test_members_exist(self):
        for name, node in CLASSES.items():
            cls = getattr(zz, name, None)
            for member in node.body:
                if cls is None or not isinstance(member, ast.FunctionDef) or member.name.startswith("__"):
                    continue
                self.assertTrue(hasattr(cls, member.name), f"{name}.{member.name}")
                if inspect.isfunction(getattr(cls, member.name)):
                    self.assertEqual(arguments(member), list(inspect.signature(getattr(cls, member.name)).parameters),
                                     f"{name}.{member.name}")

    def test_literals_are_the_words_that_are_taken(self):
        inputs = INPUTS / "workload.yaml", INPUTS / "accelerator.yaml"
        mapping = {"mapping": INPUTS / "mapping.yaml"}
        proven, pipeline = (zz.default_pipeline(*inputs, **mapping, quick=quick) for quick in (False, True))
        space = zz.Space({"accelerator.memories[dram].size": [10**9, 2 * 10**9]})
        of_cores = [INPUTS / f"stream_{name}.yaml" for name in ("workload", "accelerator", "mapping")]
        calls = {
            "default_pipeline objective": lambda word: zz.default_pipeline(*inputs, **mapping, objective=word),
            "map objective": lambda word: zz.map(*inputs, **mapping, objective=word, quick=True),
            "optimum objective": lambda word: zz.optimum(*inputs, **mapping, objective=word),
            "fused objective": lambda word: zz.fused(*inputs, **mapping, objective=word, groups="none"),
            "schedule objective": lambda word: zz.schedule(*of_cores, word, quick=True, evaluation_limit=2),
            "compare with_": lambda word: zz.compare(pipeline, with_=word),
            "sweep keep": lambda word: list(zz.sweep(pipeline, [{}], keep=word)),
            "explore strategy": lambda word: zz.explore(proven, space, objectives=["latency"], strategy=word, samples=2),
            "Metric.__init__ sum": lambda word: zz.Metric("a figure", sum=word)}
        literals = {f"{name} {place}": words for name, node in stubbed_functions() for place, words in literal_arguments(node)}
        self.assertEqual(literals.keys(), calls.keys())
        for name, call in calls.items():
            for word in sorted(set().union(*literals.values(), {"energie"})):
                with self.subTest(name, word=word):
                    try:
                        call(word)
                        taken = True
                    except (ValueError, TypeError) as problem:  # zz.InputError is a ValueError
                        taken = word not in str(problem)
                    self.assertEqual(taken, word in literals[name])

    def test_wrong_types_are_told_without_words_of_the_binding(self):
        inputs = INPUTS / "workload.yaml", INPUTS / "accelerator.yaml"
        pipeline = zz.default_pipeline(*inputs, mapping=INPUTS / "mapping.yaml", quick=True)
        given = {"map": inputs, "default_pipeline": inputs, "optimum": inputs, "fused": inputs, "schedule": (*inputs, inputs[0]),
                 "run": (pipeline,), "iterate": (pipeline,), "compare": (pipeline,), "sweep": (pipeline, [{}]),
                 "explore": (pipeline, zz.Space({"loma_lpf_limit": [5, 6]})), "stages": (), "cost": ("sram",),
                 "calibrate": (inputs[1], []), "point": ({}, (None, None))}
        functions = [name for name in ("map", *zz.__all__) if inspect.isfunction(getattr(zz, name)) and name != "cmake_dir"]
        self.assertEqual(set(functions), set(given))
        at_points = {("sweep", "pipeline")}  # each of which says what is wrong with its own
        for name in functions:
            function = getattr(zz, name)
            for place, argument in enumerate(inspect.signature(function).parameters.values()):
                if argument.kind == argument.VAR_KEYWORD or (name, argument.name) in at_points:
                    continue
                arguments = [*given[name]]
                named = {} if place < len(arguments) else {argument.name: Wrong()}
                arguments[place:place + 1] = arguments[place:place + 1] and [Wrong()]
                with self.subTest(name, argument=argument.name):
                    with self.assertRaises((TypeError, ValueError)) as caught:
                        function(*arguments, **named)
                    self.assertNotRegex(str(caught.exception), "incompatible|pybind|PYBIND|_zz|json.exception|Unable to|subscriptable")
                    self.assertIn(argument.name, str(caught.exception))
        with self.assertRaisesRegex(ValueError, r"the path 'a\\udcff' has letters that UTF-8 lacks"):
            zz.run(pipeline, workload=pathlib.Path("a\udcff"))

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_listings_of_the_documentation_and_a_file_that_uses_each_have_the_types_of_the_stubs(self):
        code = (ROOT / "tests/python/typed_use.py").read_text()
        # What files without a name in common have is checked together, as mypy takes long to start.
        together = [(["typed_use.py"], {"right.py": code, "misused.py": code.replace("objective=objective", "objective='energie'")})]
        for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
            # Not those of which a frame has the rest (`within`).
            listings = dict(re.findall(r"(?<! -->\n)<!-- save: (\S+\.py) -->\n```python\n(.*?)```", page.read_text(), re.DOTALL))
            if not listings:
                continue
            for pages, files in together:
                if not files.keys() & listings.keys():
                    break
            else:
                pages, files = [], {}
                together.append((pages, files))
            pages.append(page.name)
            # Stages need no annotations, and those of ZigZag's scripts have no types.
            files.update({name: "# mypy: allow-untyped-defs, allow-untyped-calls, allow-subclassing-any\n"
                                f"# mypy: disable-error-code=var-annotated\n{text}" for name, text in listings.items()})
        with tempfile.TemporaryDirectory() as top:
            package = pathlib.Path(top) / "stubs/zz"
            package.mkdir(parents=True)
            for name in ("__init__.pyi", "py.typed"):
                shutil.copy(pathlib.Path(zz.__file__).parent / name, package)
            for number, (pages, files) in enumerate(together):
                folder = pathlib.Path(top) / str(number)
                folder.mkdir()
                for name, text in files.items():
                    (folder / name).write_text(text)
                checked = subprocess.run(["mypy", "--strict", "--ignore-missing-imports", f"--cache-dir={top}/cache", *sorted(files)],
                                         cwd=folder, env={**os.environ, "MYPYPATH": "../stubs"}, capture_output=True, text=True)
                # In a loop over objectives each of them is any text; a word that is written is of the type of that word.
                wrong = [line for line in checked.stdout.splitlines()
                         if ": error: " in line and "stubs not installed" not in line
                         and "has incompatible type \"str\"; expected \"Literal['latency'" not in line]
                with self.subTest(pages=pages):
                    self.assertEqual([line for line in wrong if not line.startswith("misused.py:")], [], checked.stderr)
                    self.assertEqual(sum(line.startswith("misused.py:") for line in wrong), int("misused.py" in files), checked.stdout)

    def test_everything_public_is_documented(self):
        for name in zz.__all__:
            self.assertTrue(inspect.getdoc(getattr(zz, name)), name)


if __name__ == "__main__":
    unittest.main()
