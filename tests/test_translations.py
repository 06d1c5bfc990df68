"""Every word a page can show is there in Chinese, said one way, with its placeholders."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "ui" / "locales" / "zh_CN" / "LC_MESSAGES"
SPEAKING = ("app.py", "pages/*.py", "ui/**/*.py", "exports/*.py")
KEYWORDS = {"t": None, "rich": None, "open_page": None}
PLACEHOLDER = re.compile(r"{(\w*)[^}]*}")
"""Names in braces; a format after a colon may differ between languages."""


def catalogues() -> dict[str, dict[str, str]]:
    """Translations by domain."""
    found = {}
    for file in sorted(LOCALE.glob("*.po")):
        with file.open("rb") as source:
            catalogue = read_po(source)
        found[file.stem] = {str(m.id): str(m.string) for m in catalogue if m.id}
    return found


def files(patterns: tuple[str, ...]) -> list[Path]:
    return sorted(file for pattern in patterns for file in ROOT.glob(pattern))


def extracted(file: Path) -> set[str]:
    """Messages that the file passes to a translating function as they stand."""
    found = extract("python", BytesIO(file.read_bytes()), KEYWORDS)
    return {message for _, message, _, _ in found if isinstance(message, str)}


def said_with_figures(file: Path) -> Iterator[str]:
    """Formulas and notes that the module's answers carry; pages translate them."""
    module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in ("formula", "notes"):
            for part in ast.walk(node.value):
                if isinstance(part, ast.Name) and isinstance(getattr(module, part.id, None), str):
                    yield getattr(module, part.id)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@pytest.mark.parametrize("file", files(SPEAKING), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_message_has_a_translation(file: Path) -> None:
    known = set().union(*(words for words in catalogues().values()))
    missing = sorted(message for message in extracted(file) if message not in known)
    assert not missing, missing


@pytest.mark.parametrize("file", files(("metrics/*.py",)), ids=lambda file: file.stem)
def test_every_formula_and_note_has_a_translation(file: Path) -> None:
    known = set().union(*(words for words in catalogues().values()))
    sentences = {said for said in said_with_figures(file) if " " in said.strip()}
    assert not sorted(sentences - known)


def test_no_message_is_translated_in_two_ways() -> None:
    by_message: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for domain, words in catalogues().items():
        for message, translated in words.items():
            by_message[message][translated].append(domain)
    assert not {m: dict(ways) for m, ways in by_message.items() if len(ways) > 1}


@pytest.mark.parametrize("domain", sorted(file.stem for file in LOCALE.glob("*.po")))
def test_no_translation_is_blank_or_loses_a_placeholder(domain: str) -> None:
    wrong = {
        message: translated
        for message, translated in catalogues()[domain].items()
        if not translated.strip()
        or set(PLACEHOLDER.findall(message)) != set(PLACEHOLDER.findall(translated))
    }
    assert not wrong
