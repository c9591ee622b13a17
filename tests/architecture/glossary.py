"""The words of types: no source has a name that was replaced, and each word in the name of a public type of core, host and plugins is a
term of docs/glossary.md, or one of those below, which mean here what they mean everywhere.
"""
import re
import sys
from pathlib import Path

# Names of before, with the one that took their place.
REPLACED = {
    "HintLoop": "CutLoop",
    "OuterLoop": "NodeLoop",
    "LayerHints": "CutEntry",
    "TiledLayer": "CutLayer",
    "CostedCut": "PricedCut",
    "CutOfLayer": "PricedCut",
    "CutCosts": "PricedCut",
    "LayerCut": "CutReport",
    "LayerCuts": "CutMenu",
    "UniformCuts": "a menu",
    "PartitionObjective": "Objective",
    "FusedPlace": "GroupMember",
    "FusedData": "MemberOperand",
    "FusedPrice": "WeightedCost",
    "MemoryQuestion": "MemoryComponent",
}
# Words that mean something else there: home is the outermost memory of an operand, a price is of a cut.
ELSEWHERE = {"core/search/fused": {"home": "exchange memory", "price": "weighted cost"},
             "plugins/optimal": {"home": "exchange memory", "price": "weighted cost"}}
# Names of other tools, formats and libraries.
OTHERS = set("accel cacti einsum forge json kv language proto rpc sim timeloop vega".split())
# Terms of hardware, networks and searches that nobody need look up.
FIELD = set("""
    adder allocator architecture attention cache capacity cooling decoder directive expert fanout feed forward graph hardware
    instruction latent law matrix mode model multi nest operation operational operator optimization parallel pareto peak prefetch processor
    progress quantity random rank relaxable relevancy repeated resource simd sparse split sram systolic transistor tree
    unrollable wire zero""".split())
# Words of programs.
PROGRAM = set("""
    access account argument attribute bar bit branch breadcrumb broken builder call cause charge claim class clash clock code column
    compressed computation config connection count counter deadline digest dump edit enum error exit expression extent folder
    fraction function generator handle hash id identity index info instance interrupted interruptible interruption interval job
    library line log map mark method name near needed nested no note observer option optional origin outlet
    overridable override owner page pair parser path pattern permuted pointer pool position property queue range ratio reader reading
    ref reflect registry relation reply resolved save scalar scanner scope selection server service serving set severity side sign signal source
    spawned story symbol table tag task template text thread time touch trace usage user view wake warning
    word writer""".split())
# Words of everyday.
EVERYDAY = set("""
    activity allowed alternate around best case changed check choice colour combined compact compared comparison compat complete condition
    converted counted crossing decision direction distinct enough entered filled fitted fixed for gathered given held ignored joined
    keeping kind known left mapped missing mixed more mover named need neighbour new next observer on one outermost own per proven
    reach read rejoined remaining same selected sharing sliding smaller spent start telling told top tried uncosted unfinished
    unknown unrolled up use varied wanted where why written""".split())
PLAIN = OTHERS | FIELD | PROGRAM | EVERYDAY

TYPE = re.compile(r"^\s*(?:struct|class|enum class|enum)\s+(\w+)|^\s*using\s+(\w+)\s*=", re.MULTILINE)
FOLDERS = ("core", "host", "plugins", "sdk", "tests", "tools")


def singular(word):
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ss", "ss"), ("is", "is"), ("s", "")):
        if word.endswith(ending):
            return word[:-len(ending)] + instead
    return word


def terms():
    """The words of all terms: those of the first column of every table."""
    rows = re.findall(r"^\| ([^|]+?) \|", Path("docs/glossary.md").read_text(), re.MULTILINE)
    return {singular(word) for row in rows for word in re.findall(r"[a-z]+", row.lower())}


def words_of(name):
    """"PricedMenus" -> priced, menu."""
    return [singular(word.lower()) for word in re.findall(r"[A-Z][a-z]+", name)]


def is_known(word, known):
    """Whether it is a term, or the participle of one, or a term is its participle: cut, exchanging, merged."""
    forms = {word, word + "d", word + "ed", word + "ing"}
    if word.endswith("ed"):
        forms |= {word[:-1], word[:-2]}
    if word.endswith("ing"):
        forms |= {word[:-3], word[:-3] + "e"}
    return bool(forms & known)


def public_types():
    for path in sorted(path for folder in ("core", "host", "plugins") for path in Path(folder).rglob("*.hpp")):
        if "detail" not in path.parts:
            yield from ((path, first or second) for first, second in TYPE.findall(path.read_text()))


def main():
    wrong = []
    old = re.compile(r"\b(" + "|".join(REPLACED) + r")\b")
    for path in sorted(path for folder in FOLDERS for path in Path(folder).rglob("*") if path.suffix in {".hpp", ".cpp", ".h"}):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            wrong += [f"{path}:{number}: {name} is now {REPLACED[name]}" for name in old.findall(line)]
            for room, words in ELSEWHERE.items():
                if path.as_posix().startswith(room + "/"):
                    wrong += [f"{path}:{number}: '{word}' is called {now} here"
                              for word, now in words.items() if re.search(rf"\b{word}\b", line, re.IGNORECASE)]
    known = terms()
    wrong += [f"'{word}' is a term of docs/glossary.md: it cannot be a plain word of this test" for word in sorted(PLAIN & known)]
    wrong += [f"{path}: {name}: docs/glossary.md has no term with the word '{word}', and it is no plain word of tests/architecture/glossary.py"
              for path, name in public_types() for word in words_of(name) if word not in PLAIN and not is_known(word, known)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
