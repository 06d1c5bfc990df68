"""Text from files inside Markdown: shown as it is written, never as markup.

A file may say `![x](http://...)`; unescaped, the reader's browser would ask
another host for it.
"""

import html
import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>$~:&@])")


def plain(text: str) -> str:
    """Text that Markdown shows literally, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def hover(text: str) -> str:
    """Text that a chart's hover label shows literally."""
    return html.escape(text, quote=False)
