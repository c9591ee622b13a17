import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

CLUSTERS = pathlib.Path(__file__).resolve().parents[2] / "configs" / "clusters"

ALL = "--all" in sys.argv


class Files(unittest.TestCase):
    """The files of docs/clusters.md, as far as they run without a cluster: with --all on the command line also their sweep."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = os.path.join(folder.name, "sweep.sqlite")
        # One Python for all: that with the package.
        self.environment = {**os.environ, "PYTHON": sys.executable, "STORE": self.store, "SLURM_SUBMIT_DIR": str(CLUSTERS)}

    def rows(self):
        with open(self.store + ".csv") as file:
            return list(csv.DictReader(file))

    def test_shell_scripts_are_well_formed(self):
        for script in CLUSTERS.glob("*.sbatch"):
            subprocess.run(["bash", "-n", script], check=True)
            settings = [line for line in script.read_text().splitlines() if line.startswith("#SBATCH")]
            self.assertTrue(settings)
            for line in settings:
                self.assertRegex(line, r"^#SBATCH --[a-z-]+=\S+$")

    @unittest.skipUnless(ALL, "runs with --all")
    def test_an_array_shares_one_store(self):
        script = CLUSTERS / "slurm_array.sbatch"
        of_task = {"SLURM_ARRAY_TASK_COUNT": "3", "SLURM_CPUS_PER_TASK": "1"}
        printed = []
        for task in range(3):
            of_task["SLURM_ARRAY_TASK_ID"] = str(task)
            printed += subprocess.run(["bash", script], env={**self.environment, **of_task}, check=True, capture_output=True,
                                      text=True).stdout.splitlines()
        self.assertEqual(len(printed), 24)
        all_points = subprocess.run(["bash", script], env={**self.environment, "PART": "0/1"}, check=True, capture_output=True,
                                    text=True).stdout.splitlines()
        self.assertEqual(sorted(all_points), sorted(printed))
        self.assertEqual({row["status"] for row in self.rows()}, {"done"})

    @unittest.skipUnless(ALL and shutil.which("dask-worker"), "runs with --all, where python3-distributed is installed")
    def test_dask_from_a_batch_job(self):
        subprocess.run(["bash", CLUSTERS / "slurm_dask.sbatch"], env={**self.environment, "SRUN": ""}, check=True,
                       capture_output=True, timeout=600)
        self.assertEqual(len(self.rows()), 24)

    def test_kubernetes(self):
        documents = list(yaml.safe_load_all((CLUSTERS / "kubernetes.yaml").read_text()))
        self.assertEqual([document["kind"] for document in documents],
                         ["PersistentVolumeClaim", "Service", "Deployment", "Deployment", "Job"])
        for document in documents:
            self.assertLessEqual({"apiVersion", "kind", "metadata", "spec"}, set(document))
            pod = document["spec"].get("template")
            if pod is None:
                continue
            if document["kind"] == "Deployment":
                self.assertEqual(document["spec"]["selector"]["matchLabels"], pod["metadata"]["labels"])
            for container in pod["spec"]["containers"]:
                self.assertTrue(all(isinstance(word, str) for word in container["command"]), container)
                volumes = {volume["name"] for volume in pod["spec"].get("volumes", [])}
                self.assertLessEqual({mount["name"] for mount in container.get("volumeMounts", [])}, volumes)
        service, scheduler = documents[1], documents[2]
        self.assertEqual(service["spec"]["selector"], scheduler["spec"]["selector"]["matchLabels"])


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
