"""docs/cluster-sources.md says what the readers take."""

import re
import tomllib
from pathlib import Path

import pytest

from models.cluster.mfu import FORMULAS
from pipelines.sources import Options, readers
from pipelines.sources.gpu_metrics import FIELDS

TEXT = (Path(__file__).parents[3] / "docs" / "cluster-sources.md").read_text(encoding="utf-8")
KINDS = ("slurm", "kubernetes", "gpu_metrics", "training_runs")


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_of_a_kind_is_told(kind: str) -> None:
    (section,) = re.findall(rf"^## {kind}\n(.*?)(?=^## |\Z)", TEXT, re.S | re.M)
    own = set(readers()[kind].options.model_fields) - set(Options.model_fields)
    assert [name for name in sorted(own) if name not in section] == []


def test_every_example_is_a_source_its_kind_accepts() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
    assert len(blocks) == len(KINDS)
    for block in blocks:
        (source,) = tomllib.loads(block)["sources"]
        options = {k: v for k, v in source.items() if k not in ("name", "kind", "path")}
        readers()[source["kind"]].options.model_validate(options)


def test_formulas_and_fields_are_those_of_the_code() -> None:
    assert [name for name in FORMULAS if f"`{name}`" not in TEXT] == []
    fields = [names[0] for field, names in FIELDS.items() if field not in ("moment", "cluster")]
    told = [name for name in fields if name.startswith("DCGM_FI_PROF") and name not in TEXT]
    assert told == []
