"""A plugin of `zz-host new-plugin`, as a product: written, built against the installed package, and its own tests run.

usage: new_plugin.py FOLDER LANGUAGE C_COMPILER CXX_COMPILER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
folder, language, c_compiler, cxx_compiler = sys.argv[1:]
for compiler in ("rustc",) if language == "rust" else (c_compiler, cxx_compiler):
    if not shutil.which(compiler):
        print(f"skipped: this machine has no {compiler}")
        sys.exit(SKIPPED)
installed = pathlib.Path(folder).resolve() / "zz"
host = installed / "bin/zz-host"
work = pathlib.Path(folder).resolve() / "new plugin" / f"{language}_{cxx_compiler}"
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)


def call(*command, code=0, **environment):
    print("$", *command, flush=True)
    done = subprocess.run([str(word) for word in command], cwd=work, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(done.stdout + done.stderr, flush=True)
    if done.returncode != code:
        sys.exit(f"exit code {done.returncode}, expected {code}")
    return done.stdout + done.stderr


call(host, "new-plugin", "ParetoFront", "--language", language)
made = work / "pareto_front"
files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
ending = {"c": "c", "c++": "cpp", "rust": "rs"}[language]
sources = [f"pareto_front_stage.{ending}"] + ([] if language == "rust" else ["pareto_front_stage_test.cpp"])
assert files == ["CMakeLists.txt", "README.md", *sources,
                 "test/accelerator.yaml", "test/mapping.yaml", "test/pipeline.yaml", "test/workload.yaml"], files
for path in made.rglob("*"):
    if path.is_file():
        for old in ("my_plugin", "my_stage", "MyStage"):
            assert old not in path.read_text(), f"{path} still names {old}"

# "cpp" is another word for C++, and C++ is what nobody needs to name.
if language == "c++":
    def texts(name):
        found = {path.relative_to(work / name): path.read_text() for path in (work / name).rglob("*") if path.is_file()}
        shutil.rmtree(work / name)
        return found
    call(host, "new-plugin", "ParetoFront", "--language", "cpp", "--folder", "named")
    call(host, "new-plugin", "ParetoFront", "--folder", "unnamed")
    assert texts("named") == texts("unnamed") == {path.relative_to(made): path.read_text() for path in made.rglob("*") if path.is_file()}

# A stage of the name would hide, or be hidden.
assert "has a stage LomaStage already" in call(host, "new-plugin", "loma", code=2)
for taken in ("LOMA", "lomastage"):
    assert "has a stage LomaStage already" in call(host, "new-plugin", taken, code=2)
assert not (work / "loma").exists()

# What is there is never overwritten, not even an empty folder.
before = {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
assert "is left as it is" in call(host, "new-plugin", "pareto-front", code=2)
assert before == {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
(work / "empty").mkdir()
assert "is left as it is" in call(host, "new-plugin", "pareto", "--folder", "empty/", code=2)
for wrong in ("2fast", "a b", "../up", ""):
    call(host, "new-plugin", wrong, code=2)
call(host, "new-plugin", "pareto", "--language", "cobol", code=2)
assert sorted(path.name for path in work.iterdir()) == ["empty", "pareto_front"], "something was left behind"

compilers = [f"-DCMAKE_C_COMPILER={c_compiler}", f"-DCMAKE_CXX_COMPILER={cxx_compiler}", "-DCMAKE_C_FLAGS=-Wall -Wextra",
             "-DCMAKE_CXX_FLAGS=-Wall -Wextra"]
call("cmake", "-S", made, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={installed}", *([] if language == "rust" else compilers))
if language != "rust":
    assert "CMAKE_BUILD_TYPE:STRING=Release" in (work / "build/CMakeCache.txt").read_text(), "not built optimised"
assert "warning" not in call("cmake", "--build", work / "build")
# Who renames the metric need not rename it in the test, and who renames it half is told what is missing.
if language != "rust":
    source = made / sources[0]
    text = source.read_text()
    half = text.replace("energy_price", "bill", 1)
    source.write_text(half)
    call("cmake", "--build", work / "build")
    halfway = call("ctest", "--test-dir", work / "build", "-R", "unit", "--output-on-failure", code=8)
    assert "failed: " in halfway and "Subprocess aborted" not in halfway
    source.write_text(text.replace("energy_price", "bill"))
    call("cmake", "--build", work / "build")
    call("ctest", "--test-dir", work / "build", "-R", "unit", "--output-on-failure")
    source.write_text(text)
    call("cmake", "--build", work / "build")
tested = call("ctest", "--test-dir", work / "build", "--output-on-failure")
assert f"100% tests passed, 0 tests failed out of {2 if language == 'rust' else 3}" in tested
plugin = work / "build/pareto_front.so"
assert "# ParetoFrontStage" in call(host, "describe", "ParetoFrontStage", "--plugin", plugin)

# Where the host looks, it needs no mention in the pipeline file.
if language == "rust":
    found = work / "prefix/zz/plugins-0/pareto_front.so"
    found.parent.mkdir(parents=True)
    shutil.copy(plugin, found)
else:
    call("cmake", "--install", work / "build", "--prefix", work / "prefix")
    [found] = (work / "prefix").glob("**/zz/plugins-*/pareto_front.so")
shutil.copytree(installed / "share/zz/examples/inputs", work / "run")
(work / "pipeline.yaml").write_text("""version: 1
parameters: {workload: run/workload.yaml, accelerator: run/accelerator.yaml, mapping: run/mapping.yaml, dump_folder: out}
stages: [WorkloadParserStage, AcceleratorParserStage, CompleteSaveStage, WorkloadStage, MinimalLatencyStage,
         ParetoFrontStage: {price: 2}, SpatialMappingGeneratorStage, LomaStage, CostModelStage]
""")
call(host, "pipeline.yaml", XDG_DATA_HOME=str(found.parent.parent.parent))
outputs = json.loads((work / "out/product_complete.json").read_text())["outputs"]
assert outputs["metrics"]["energy_price"] == 2 * outputs["energy"]["energy_total"], outputs["metrics"]
