"""The command-line door: load, status, metric, export, import.

Data goes to stdout, progress and errors to stderr.
Exit codes: 0 done; 1 a source or file failed, or a figure cannot be given;
2 the command or the configuration is wrong.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table as RichTable

from config import Config, ConfigError, find_config, nearest, read_config
from exports.cost_allocation import write_cost_allocation
from exports.risk_log import import_risk_log, write_risk_log
from metrics.answer import CannotAnswer, metrics
from metrics.facts import Facts, open_facts, records_url, reviews
from pipelines.lake import LakeError
from pipelines.load import SourceOutcome, UnknownSource, load
from records.database import RecordsError
from records.import_risks import risk_writer

app = typer.Typer(
    name="quartermaster",
    help="Program management and FinOps for AI compute.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
export_app = typer.Typer(help="Write documents.", no_args_is_help=True)
import_app = typer.Typer(help="Read documents back.", no_args_is_help=True)
app.add_typer(export_app, name="export")
app.add_typer(import_app, name="import")

# A pipe has no width of its own: there a table must not be cut.
out = Console(width=None if sys.stdout.isatty() else 400, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", help="The configuration; else QUARTERMASTER_CONFIG, else quartermaster.toml."
    ),
]
MonthOption = Annotated[str | None, typer.Option("--month", help="A month, such as 2026-11.")]


class Format(StrEnum):
    """How a figure is printed."""

    table = "table"
    json = "json"
    csv = "csv"


class Language(StrEnum):
    """Languages of documents."""

    en = "en"
    zh = "zh"


@app.command("load", epilog="Example: quartermaster load --source 'cloud bills'")
def load_command(
    config: ConfigOption = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="Only this source; may be repeated.")
    ] = None,
) -> None:
    """Load all or the named sources. Exit 1 if any failed; the others are still in."""
    with _words():
        outcomes = _load(_config(config), source or [])
    _print_outcomes(outcomes)
    if any(outcome.status in ("failed", "partial") for outcome in outcomes):
        raise typer.Exit(1)


@app.command(epilog="Example: quartermaster status --format json")
def status(
    config: ConfigOption = None,
    format: Annotated[Format, typer.Option("--format")] = Format.table,
) -> None:
    """Each source: last load, freshness, rows, quarantined."""
    with _words():
        _print_frame(metrics()["sources"].function(open_facts(_config(config))).frame, format)


@app.command(epilog="Example: quartermaster metric cost-total --format csv")
def metric(
    name: Annotated[str, typer.Argument(help="The figure; `list` names them all.")],
    config: ConfigOption = None,
    month: MonthOption = None,
    basis: Annotated[
        str | None, typer.Option("--basis", help="billed, effective, list or contracted.")
    ] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only this tenant.")] = None,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Only this cluster.")] = None,
    project: Annotated[str | None, typer.Option("--project", help="A tracker's project.")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="As it stood at this day or instant (ISO 8601).")
    ] = None,
    format: Annotated[Format, typer.Option("--format")] = Format.table,
) -> None:
    """Any figure a page shows, for scripts and checks."""
    listed = {key: m for key, m in metrics().items() if m.listed}
    if name == "list":
        for key in listed:
            print(key)
        return
    if name not in listed:
        err.print(f'No figure "{name}".{nearest(name, list(listed))}')
        raise typer.Exit(2)
    given = {
        key: value
        for key, value in {
            "month": month,
            "basis": basis,
            "tenant": tenant,
            "cluster": cluster,
            "project": project,
        }.items()
        if value is not None
    }
    for key in given:
        if key not in listed[name].parameters:
            err.print(f"The figure {name} has no --{key}.")
            raise typer.Exit(2)
    with _words():
        answer = listed[name].function(_facts(_config(config), as_of), **given)
    for note in answer.notes:
        err.print(f"Note: {note}")
    _print_frame(answer.frame, format)


@export_app.command(
    "cost-allocation",
    epilog="Example: quartermaster export cost-allocation --month 2026-11 --out november.xlsx",
)
def export_cost_allocation(
    month: Annotated[str, typer.Option("--month", help="A month, such as 2026-11.")],
    out_file: Annotated[Path, typer.Option("--out", help="The workbook to write.")],
    config: ConfigOption = None,
    basis: Annotated[
        str, typer.Option("--basis", help="billed, effective, list or contracted.")
    ] = "effective",
    lang: Annotated[Language, typer.Option("--lang")] = Language.en,
) -> None:
    """Finance's workbook of a month."""
    with _words():
        facts = open_facts(_config(config))
        write_cost_allocation(facts, month, basis, lang.value, out_file)
    err.print(f"Wrote {out_file}")


@export_app.command("risk-log", epilog="Example: quartermaster export risk-log --out risks.xlsx")
def export_risk_log(
    out_file: Annotated[Path, typer.Option("--out", help="The workbook to write.")],
    config: ConfigOption = None,
    lang: Annotated[Language, typer.Option("--lang")] = Language.en,
) -> None:
    """The risk register as a workbook that can be imported again."""
    with _words():
        write_risk_log(open_facts(_config(config)), out_file, lang.value)
    err.print(f"Wrote {out_file}")


@import_app.command("risk-log", epilog="Example: quartermaster import risk-log risks.xlsx")
def import_risks(
    file: Annotated[Path, typer.Argument(help="A workbook as exported, edited.")],
    config: ConfigOption = None,
) -> None:
    """Read an edited risk register back; exit 1 if any row was refused."""
    with _words():
        outcome = import_risk_log(open_facts(_config(config)), file)
    err.print(f"{outcome.accepted} rows taken, {outcome.unchanged} unchanged.")
    for rejection in outcome.rejected:
        err.print(rejection.message)
    if outcome.rejected:
        raise typer.Exit(1)


@contextmanager
def _words() -> Iterator[None]:
    """Errors a person caused, said to that person; never a traceback."""
    try:
        yield
    except (ConfigError, UnknownSource) as error:
        err.print(str(error), style="red")
        raise typer.Exit(2) from None
    except (LakeError, RecordsError, CannotAnswer, OSError) as error:
        err.print(str(error), style="red")
        raise typer.Exit(1) from None


def _config(given: Path | None) -> Config:
    return read_config(find_config(given))


def _facts(config: Config, as_of: str | None) -> Facts:
    if as_of is None:
        return open_facts(config)
    try:
        moment = datetime.fromisoformat(as_of)
    except ValueError:
        raise CannotAnswer(f'"{as_of}" is not a day or instant; write it as 2026-11-23.') from None
    if moment.tzinfo is None:
        end_of_day = len(as_of) == 10
        moment = moment.replace(tzinfo=config.zone)
        if end_of_day:
            moment = moment.replace(hour=23, minute=59, second=59)
    for review in reviews(config):
        if review.data_through <= moment.astimezone(UTC):
            return open_facts(config, review.snapshot_id)
    raise CannotAnswer(f"Nothing had been loaded by {as_of}.")


def _load(config: Config, names: list[str]) -> list[SourceOutcome]:
    outcomes = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("Loading", total=None)

        def show(file: str, done: int, files: int) -> None:
            bar.update(task, description=f"{file} ({done + 1} of {files})")

        keep = risk_writer(records_url(config))
        for outcome in load(config, names, records=keep, progress=show):
            outcomes.append(outcome)
    return outcomes


def _print_outcomes(outcomes: list[SourceOutcome]) -> None:
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    for heading in ("source", "kind", "status"):
        table.add_column(heading)
    for heading in ("files", "read", "accepted", "quarantined", "replaced"):
        table.add_column(heading, justify="right")
    table.add_column("total before")
    table.add_column("total now")
    table.add_column("said")
    for one in outcomes:
        table.add_row(
            one.source,
            one.kind,
            one.status,
            *(f"{n:,}" for n in (one.files, one.read, one.accepted, one.quarantined, one.replaced)),
            _totals(one, "billed_before"),
            _totals(one, "billed_after"),
            "; ".join(filter(None, [one.message, *_partial_notes(one)])),
        )
    out.print(table)


def _totals(outcome: SourceOutcome, column: str) -> str:
    sums: dict[str, Decimal] = {}
    for change in outcome.changes:
        currency = change["currency"] or "?"
        sums[currency] = sums.get(currency, Decimal(0)) + (change[column] or Decimal(0))
    return ", ".join(f"{value.normalize():,f} {currency}" for currency, value in sums.items())


def _partial_notes(outcome: SourceOutcome) -> list[str]:
    partial = [c for c in outcome.changes if c["note"].startswith("only the days")]
    return [f"{c['key']}: {c['note']}" for c in partial]


def _print_frame(frame: pl.DataFrame, format: Format) -> None:
    if format is Format.json:
        rows = [{k: _plain(v) for k, v in row.items()} for row in frame.iter_rows(named=True)]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif format is Format.csv:
        texts = frame.select(
            pl.Series(name, [_text(_plain(v)) for v in frame[name]], dtype=pl.String)
            for name in frame.columns
        )
        sys.stdout.write(texts.write_csv())
    else:
        table = RichTable(box=None, pad_edge=False, header_style="bold")
        for name, dtype in frame.schema.items():
            table.add_column(name, justify="right" if dtype.is_numeric() else "left")
        for row in frame.iter_rows():
            table.add_row(*(_text(_plain(v)) or "–" for v in row))
        out.print(table)


def _plain(value: Any) -> Any:
    """A cell as JSON has it: exact figures as text, times as ISO 8601.

    Zeros beyond the second decimal are those of the storage, not of the figure.
    """
    if isinstance(value, Decimal):
        whole, _, decimals = f"{value:f}".partition(".")
        return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}" if decimals else whole
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value.isoformat() if hasattr(value, "isoformat") else value


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def main() -> None:
    """The console script."""
    app()


if __name__ == "__main__":
    main()
