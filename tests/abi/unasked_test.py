"""A pipeline that is looked at runs no code: plugins and Python files that it names are loaded when it runs, or when
somebody has said that they may be."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HOST = os.environ["ZZ_HOST"]
PLUGINS = pathlib.Path(os.environ["ZZ_TEST_PLUGINS"])
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"
SCRIPT = "import os\nopen(os.environ['ZZ_TEST_MARK'], 'w').close()\n"
STRANGE = ("EagerStage: {depth: 3, names: [a, b]}", "PythonStage: {file: stages.py, stage: Mine, threshold: 3}")


class Unasked(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        for path in (*INPUTS.iterdir(), PLUGINS / "eager.so", PLUGINS / "missing_symbol.so"):
            shutil.copy(path, self.folder)
        (self.folder / "stages.py").write_text(SCRIPT)
        self.mark = self.folder / "mark"

    def write(self, plugins="[eager.so]", stages=STRANGE, more=""):
        """A pipeline with these plugins, and with these stages below SumStage."""
        text = (INPUTS / "pipeline.yaml").read_text().replace("version: 1\n", f"version: 1\nplugins: {plugins}\n", 1)
        text = text.replace("  - SumStage\n", "".join(f"  - {stage}\n" for stage in ("SumStage", *stages)), 1)
        (self.folder / "pipeline.yaml").write_text(text.replace("parameters:\n", "parameters:\n" + more, 1))

    def ask(self, verb, *options, **environment):
        """The process that has ended, and whether code of the pipeline ran."""
        self.mark.unlink(missing_ok=True)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("ZZ_", "XDG_"))}
        done = subprocess.run([HOST, verb, "pipeline.yaml", *options], cwd=self.folder, text=True, capture_output=True,
                              env={**clean, "HOME": "/nonexistent", "ZZ_TEST_MARK": str(self.mark), **environment})
        return done, self.mark.exists()

    def test_what_is_looked_at_runs_nothing(self):
        self.write()
        checked, ran = self.ask("check")
        self.assertEqual((checked.returncode, ran), (0, False), checked.stderr)
        self.assertIn("not looked at: 5 EagerStage, 6 PythonStage", checked.stdout)
        self.assertRegex(checked.stderr, r"pipeline\.yaml:2:11: warning: the plugin eager\.so is not loaded.*--allow-code")
        self.assertRegex(checked.stderr, r"pipeline\.yaml:\d+:\d+: warning: the stages in stages\.py are not looked at")
        checked, ran = self.ask("check", "--format=json")
        self.assertEqual(json.loads(checked.stdout)["not_looked_at"],
                         [{"position": "5", "stage": "EagerStage", "file": "eager.so"},
                          {"position": "6", "stage": "PythonStage", "file": "stages.py"}])
        for form in ("text", "json", "yaml"):
            explained, ran = self.ask("explain", f"--format={form}")
            self.assertEqual((explained.returncode, ran), (0, False), explained.stderr)
            self.assertIn("threshold", explained.stdout)
        shown = {stage["name"]: stage for stage in json.loads(self.ask("explain", "--format=json")[0].stdout)["stages"]}
        self.assertEqual((shown["EagerStage"]["looked_at"], shown["SumStage"]["looked_at"]), (False, True))

    def test_everything_else_is_checked(self):
        for wrong, words in (({"more": "  loma_lpf_limt: 6\n"}, "did you mean 'loma_lpf_limit'"),
                             ({"stages": [*STRANGE, "LomaStge"]}, "did you mean 'LomaStage'"),
                             ({"stages": [*STRANGE, "CostModelStage"]}, "must be the last stage"),
                             ({"stages": [*STRANGE, "GeneralParameterIteratorStage: {general_parameter_iterations: 3}"]},
                              "general_parameter_iterations"),
                             ({"stages": STRANGE[:1] + ("PythonStage: {file: none.py, stage: Mine}",)}, "none.py"),
                             ({"plugins": "[none.so]"}, "none.so: no such file"),
                             ({"plugins": "[missing_symbol.so]"}, "does not export zz_plugin_v0")):
            self.write(**wrong)
            checked, ran = self.ask("check")
            self.assertFalse(ran)
            self.assertIn(words, checked.stderr)

    def test_code_that_is_allowed_is_loaded(self):
        self.write(stages=())
        for verb, options in (("check", ["--allow-code"]), ("explain", ["--allow-code"]), ("run", [])):
            done, ran = self.ask(verb, *options)
            self.assertEqual((done.returncode, ran), (0, True), done.stderr)
        # The user's own word for it does not depend on the pipeline.
        checked, ran = self.ask("check", "--plugin", "eager.so")
        self.assertEqual((checked.returncode, ran, checked.stderr), (0, True, ""))

    def test_trusted_folders_of_the_user(self):
        self.write(stages=())
        configuration = self.folder / "configuration/zz/config.yaml"
        configuration.parent.mkdir(parents=True)
        environment = {"XDG_CONFIG_HOME": str(self.folder / "configuration")}
        for trusted, expected in ((f"[{self.folder}]", True), (f"[/nowhere, {self.folder.parent}]", True), ("", False),
                                  (f"[{self.folder}/configuration]", False), (f"['{self.folder}x']", False)):
            configuration.write_text(f"trusted_folders: {trusted}\n")
            checked, ran = self.ask("check", **environment)
            self.assertEqual((checked.returncode, ran), (0, expected), (trusted, checked.stderr))
        # A link does not make a file one of the folder.
        (self.folder / "trusted").mkdir()
        (self.folder / "trusted/link.so").symlink_to(self.folder / "eager.so")
        configuration.write_text(f"trusted_folders: [{self.folder}/trusted]\n")
        self.write(plugins="[trusted/link.so]", stages=())
        self.assertFalse(self.ask("check", **environment)[1])
        for text, words in (("trusted_folders: [here]\n", "absolute"), ("trusted_folder: []\n", "did you mean 'trusted_folders'"),
                            ("- a\n", "must be a map")):
            configuration.write_text(text)
            checked, ran = self.ask("check", **environment)
            self.assertEqual((checked.returncode, ran), (2, False))
            self.assertIn(words, checked.stderr)
        configuration.write_text(f"trusted_folders: [{self.folder}]\n")
        configuration.chmod(0o666)
        checked, ran = self.ask("check", **environment)
        self.assertEqual((checked.returncode, ran), (2, False))
        self.assertIn("anybody may write there", checked.stderr)

    def test_a_library_that_is_no_plugin_is_never_loaded(self):
        self.write(plugins="[missing_symbol.so]", stages=())
        for verb, options in (("check", []), ("check", ["--allow-code"]), ("run", []), ("run", ["--plugin", "missing_symbol.so"])):
            done, ran = self.ask(verb, *options)
            self.assertEqual((done.returncode, ran), (3, False), done.stderr)
            self.assertIn("does not export zz_plugin_v0 (rule L1)", done.stderr)

    def test_code_that_others_may_write_is_refused(self):
        shared = self.folder / "shared"
        shared.mkdir()
        others = [(0o777, None), (0o755, 0o666)]
        for of_folder, of_file in others:
            for name, plugins, stages in (("eager.so", "[shared/eager.so]", ()),
                                          ("stages.py", "[]", ("PythonStage: {file: shared/stages.py, stage: Mine}",))):
                shutil.copy(self.folder / name, shared)
                (shared / name).chmod(of_file or 0o644)
                shared.chmod(of_folder)
                self.write(plugins=plugins, stages=stages)
                for verb, options in (("check", []), ("check", ["--allow-code"]), ("run", [])):
                    done, ran = self.ask(verb, *options)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertFalse(ran)
                    self.assertRegex(done.stderr, r"pipeline\.yaml:\d+:\d+: error: .*anybody may write there")
        # Whoever can change where a link leads, and whoever can change what it leads to, could change the code.
        shared.chmod(0o777)
        (shared / "link.so").symlink_to(self.folder / "eager.so")
        (self.folder / "link.so").symlink_to(shared / "eager.so")
        for link in ("shared/link.so", "link.so"):
            self.write(plugins=f"[{link}]", stages=())
            self.assertFalse(self.ask("run")[1])


if __name__ == "__main__":
    unittest.main()
