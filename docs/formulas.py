"""MkDocs hook: formulas as MathML, set when the site is built, so that readers load nothing.

A page writes TeX between dollars, or in a fence of the language ``math``, as source hosts show it.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from pymdownx.arithmatex import arithmatex_fenced_format

MARKED = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<opened>[(\[])(?P<tex>.*?)\\[)\]]</(?P=tag)>',
    re.DOTALL,
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take fences of the language ``math`` for formulas."""
    fence = {
        "name": "math",
        "class": "arithmatex",
        "format": arithmatex_fenced_format(mode="generic"),
    }
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    return config


def on_page_content(content: str, **_: Any) -> str:
    """Put MathML in place of TeX."""
    return MARKED.sub(mathml, content)


def mathml(found: re.Match[str]) -> str:
    """Return a formula in the place where its page has it."""
    display = "block" if found["opened"] == "[" else "inline"
    made = convert(html.unescape(found["tex"]).strip(), display=display)
    return f'<div class="formula" tabindex="0">{made}</div>' if display == "block" else made
