"""Which files of a source are new, and which the lake already holds."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from config import Config, SourceSettings


@dataclass(frozen=True)
class SourceFile:
    """A file as found. `name`: relative to the configuration where it lies below it.

    sha256: of its bytes and the options it is read with, so that a changed
        option reads it again.
    """

    path: Path
    name: str
    sha256: str
    bytes: int

    def is_as_found(self) -> bool:
        """Whether it still has the size it had; a file written meanwhile has not."""
        return self.path.exists() and self.path.stat().st_size == self.bytes


def find_files(config: Config, source: SourceSettings, options: str) -> list[SourceFile]:
    """The files of the source's glob, in natural order of their names.

    options: what they are read with, as text; it is part of the fingerprint.
    """
    base = config.file.parent
    given = Path(source.path)
    root, pattern = (
        (Path(given.anchor), str(given.relative_to(given.anchor)))
        if given.is_absolute()
        else (base, source.path)
    )
    salt = f"{source.kind} {options}"
    paths = [path for path in root.glob(pattern) if path.is_file()]
    return [_described(path, base, salt) for path in sorted(paths, key=_natural)]


def changed_files(files: Iterable[SourceFile], loaded: pl.DataFrame) -> list[SourceFile]:
    """The files whose content the lake does not hold.

    loaded: load_file rows of this source (load_id, file, sha256, status). A
    file is held when the newest load of its name had the same content, or,
    for a new name, when any name's newest load had it (a renamed file).
    """
    newest = (
        loaded.filter(pl.col("status") == "loaded")
        .sort("load_id")
        .group_by("file")
        .agg(pl.col("sha256").last())
    )
    by_name = dict(newest.select("file", "sha256").rows())
    contents = set(by_name.values())

    def is_held(file: SourceFile) -> bool:
        if file.name in by_name:
            return bool(by_name[file.name] == file.sha256)
        return file.sha256 in contents

    return [file for file in files if not is_held(file)]


def deliveries(files: list[SourceFile], parts: bool) -> list[list[SourceFile]]:
    """Files that replace earlier data together: a folder's if `parts`, else each alone."""
    if not parts:
        return [[file] for file in files]
    ordered = sorted(files, key=lambda file: file.path.parent)
    return [list(group) for _, group in groupby(ordered, key=lambda file: file.path.parent)]


def _described(path: Path, base: Path, salt: str) -> SourceFile:
    digest = hashlib.sha256(salt.encode())
    size = 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            size += len(block)
    name = path.relative_to(base) if path.is_relative_to(base) else path
    return SourceFile(path, name.as_posix(), digest.hexdigest(), size)


def _natural(path: Path) -> list[Any]:
    parts = re.split(r"(\d+)", path.as_posix())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
