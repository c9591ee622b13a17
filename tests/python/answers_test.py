"""Answers that classes keep: found again for the same code and the same state of objects, and for no other."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import zz
from small import INPUTS, STAGES, parameters


class Answers(unittest.TestCase):
    def test_the_code_of_a_class_has_names_and_cached_functions(self):
        def digest(text, module="made"):
            names = {"__name__": module}
            exec(text, names)
            return zz.class_code.code_of(names["Made"])[0]

        method = "class Made:\n    def {}(self): return 1"
        cached = "import functools\nclass Made:\n    @functools.lru_cache\n    def method(self): return {}"
        self.assertNotEqual(digest(method.format("first")), digest(method.format("second")))
        self.assertNotEqual(digest(cached.format(1)), digest(cached.format(2)))
        self.assertEqual(digest(cached.format(1)), digest(cached.format(1)))
        self.assertEqual(digest(cached.format(1)), digest(cached.format(1), "elsewhere"))

    def test_a_cell_that_runs_again_finds_its_answers(self):
        cell = """
import zz

class Measured:
    def __init__(self, most):
        self.limits = {"most": most, "own": self}

MEASURED = Measured(3)

class Cell(zz.Stage):
    \"\"\"Keeps a figure.\"\"\"

    consumes = {"layer": "layer"}
    store = zz.Setting("", "keeps the answer")

    def run(self, context):
        question = {"layer": context.layer}
        found = self.find_answer(question, self.store)
        self.count("found", found is not None)
        if found is None:
            self.keep_answer(question, MEASURED.limits["most"] * context.layer.id, self.store)
        yield from self.substage(context)
"""
        notebook = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder:
            store = str(pathlib.Path(folder) / "answers.db")

            def found(text):
                exec(text, notebook)
                chain = [*STAGES[:4], notebook["Cell"](store=store), *STAGES[4:]]
                return zz.run(chain, **parameters()).counters["found"]

            layers = found(cell) + 2  # of the network, none of whose answers is there
            self.assertEqual([found(cell), found(cell)], [layers, layers])
            changed = cell.replace("Measured(3)", "Measured(4)")
            self.assertEqual([found(changed), found(changed), found(cell)], [0, layers, layers])
            self.assertEqual(found(cell.replace("context.layer.id,", "context.layer.id + 1,")), 0)

            # Nobody knows what a class reads in an open file.
            unreadable = cell.replace("MEASURED = Measured(3)", "MEASURED = Measured(3)\nMEASURED.source = open('/dev/null')")
            with self.assertLogs("zz", "WARNING") as told:
                self.assertEqual([found(unreadable), found(unreadable)], [0, 0])
            self.assertIn("this run alone: the class uses an object of the type TextIOWrapper", told.output[0])
            notebook["MEASURED"].source.close()

    def test_questions_that_json_writes_alike_have_different_answers(self):
        found = []

        class Asking(zz.Stage):
            """Keeps an answer to each question."""

            def run(self, context):
                questions = [{"a": a, "b": b} for a in (None, float("nan"), float("inf"), -float("inf")) for b in (None, float("inf"))]
                for number, question in enumerate(questions):
                    self.keep_answer(question, number)
                found.append([self.find_answer(question) for question in questions])
                yield from self.substage(context)

        zz.run([Asking, *STAGES], **parameters())
        self.assertEqual(found[0], list(range(8)))

    def test_a_sweep_finds_points_with_a_class_that_was_defined_again(self):
        cell = """
import zz

class Scaled(zz.Stage):
    \"\"\"Changes nothing.\"\"\"

    def run(self, context):
        return self.substage(context)
"""
        with tempfile.TemporaryDirectory() as folder:
            def stored(text):
                names = {"__name__": "__main__"}
                exec(text, names)
                swept = zz.sweep([names["Scaled"], *STAGES], [{"loma_lpf_limit": most} for most in (5, 6)], store=str(pathlib.Path(folder) / "points.db"),
                                 **{name: value for name, value in parameters().items() if name != "loma_lpf_limit"})
                return [point.stored for point in swept]

            self.assertEqual([stored(cell), stored(cell)], [[False] * 2, [True] * 2])
            self.assertEqual(stored(cell.replace("return", "yield from")), [False] * 2)

    def test_the_code_of_a_class_has_the_state_of_its_objects(self):
        head = """
import collections, dataclasses, enum, functools, types
class Slotted:
    __slots__ = ("one", "two")
    def __init__(self, one): self.one = one
@dataclasses.dataclass
class Record:
    value: object
    others: list = dataclasses.field(default_factory=list)
class Hiding(Record):
    def __getstate__(self): return {}
class Listing(list): pass
class Referred: pass
LISTED = Referred()
class Colour(enum.Enum):
    RED = 1
    BLUE = 2
class Node:
    def __init__(self, value): self.value, self.next = value, self
class Shown:
    def __init__(self, value): self.value = value
    def __repr__(self): return "the same"
    def __hash__(self): return 1
    def __eq__(self, other): return self is other
def noted(figure):
    function = functools.lru_cache(timed)
    function.note = [figure]
    return function
def timed(function):
    def method(self): return function()
    return method
"""

        def digest(constant, code="return self.part"):
            names = {"__name__": "made"}
            exec(f"{head}\nclass Made:\n    part = {constant}\n    def method(self): {code}", names)
            return zz.class_code.code_of(names["Made"])[0]

        for made in ("Slotted({})", "Record({})", "Record(0, [Record({})])", "Hiding({})", "Listing([{}])", "Node({})",
                     "{{Shown({})}}", "{{Shown(1): {}}}", "collections.deque([{}])", "collections.OrderedDict(a={})",
                     "types.SimpleNamespace(a=[{}])", "functools.partial(print, {})", "Record({}).__init__", "range({})",
                     "(Colour.RED, {})", "types.MappingProxyType({{1: {}}})", "frozenset([Shown({}), Shown(9)])",
                     "True if {} == 3 else 1", "functools.update_wrapper(Shown({}), print)", "timed(lambda: {})", "noted({})"):
            with self.subTest(made):
                self.assertEqual(digest(made.format(3)), digest(made.format(3)))
                self.assertNotEqual(digest(made.format(3)), digest(made.format(4)))
        self.assertEqual(digest("functools.singledispatch(timed)"), digest("functools.singledispatch(timed)"))
        for one, other in (("Colour.RED", "Colour.BLUE"), ("__import__('math').sqrt", "__import__('cmath').sqrt")):
            self.assertNotEqual(digest(one), digest(other))
        for same in ("__import__('re').compile('a*')", "set('abcdef')", "type('Words', (set,), {'__module__': 'made'})('abcdef')"):
            self.assertEqual(digest(same), digest(same))
        for unreadable in ("(i for i in range(3))", "memoryview(b'')", "__import__('weakref').WeakKeyDictionary({LISTED: 1})", "Slotted(i for i in ())"):
            with self.subTest(unreadable):
                self.assertNotEqual(digest(unreadable), digest(unreadable))

    def test_an_answer_is_that_of_the_code_that_asks(self):
        first = """
FACTOR = 2

def figure(layer):
    return FACTOR * layer.id

class Answering(zz.Stage):
    \"\"\"Keeps a figure.\"\"\"

    consumes = {"layer": "layer"}
    store = zz.Setting("", "keeps the answer")

    def run(self, context):
        question = {"layer": context.layer}  # a comment
        found = self.find_answer(question, self.store)
        self.count("found", found is not None)
        if found is None:
            self.keep_answer(question, figure(context.layer), self.store)
        yield from self.substage(context)
"""
        with tempfile.TemporaryDirectory() as folder:
            store = str(pathlib.Path(folder) / "answers.db")

            def found(text):
                """In a process of its own, where the class has the number that it had before."""
                code = (f"import zz\nfrom small import STAGES, parameters\n{text}\n"
                        f"chain = [*STAGES[:4], Answering(store={store!r}), *STAGES[4:]]\n"
                        "print(zz.run(chain, **parameters()).counters['found'])")
                return int(subprocess.run([sys.executable, "-c", code], cwd=INPUTS.parent / "python", capture_output=True,
                                          text=True, check=True).stdout)

            self.assertEqual(found(first), 0)
            self.assertEqual(found(first), 2)
            self.assertEqual(found(first.replace("# a comment", "# another")), 2)
            for other in (first.replace("FACTOR = 2", "FACTOR = 3"), first.replace("* layer", "+ layer"),
                          first.replace("keep_answer(question, figure(", "keep_answer(question, 1 + figure(")):
                self.assertEqual(found(other), 0)
                self.assertEqual(found(other), 2)


if __name__ == "__main__":
    unittest.main()
