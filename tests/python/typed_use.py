"""Uses what is most often typed, for type checkers alone: stubs_test.py has mypy look at it."""

from typing import Any, Iterator, Literal

import zz


def described() -> tuple[str, list[str], int]:
    stages = zz.stages()
    loma = stages["LomaStage"]
    return loma.name, [setting["name"] for setting in loma.settings], len(stages[:2])


def mapped(objective: Literal["latency", "energy", "edp"]) -> float:
    results = zz.map({"model_type": "llama"}, zz.configs / "accelerators/tpu_like.yaml", objective=objective)
    energy: float = results["energy"]
    table = results.to_dataframe(all=True)
    return energy + len(table) + float(results.layer("conv1")["latency"])


class Typed(zz.Stage):
    """Adds a figure, and searches."""

    note = zz.Setting("", "a file", path=True)
    metrics = {"carbon": zz.Metric("of the energy", unit="g", sum="add", column=True)}

    def run(self, context: zz.Value) -> Iterator[tuple[Any, Any]]:
        text: str = self.text(self.note)
        content: bytes = self.bytes(self.note)
        scorer = self.scorer(context, ["energy_total"])
        scores = scorer.score([[("K", 2)]], cuts=[{"O": [1]}])
        best = [score[0] for score in scores if score is not None]
        if self.find_answer({"note": text}) is None and not self.cancelled:
            self.keep_answer({"note": text}, best)
        self.take_interruption()
        mapping = scorer.mapping([("K", 2)])
        for result in self.substage(context, temporal_mapping=mapping):
            yield zz.point({"bytes": len(content)}, result)
