"""Commands that make a store of any kind of experiment, the shortest that there are."""

from __future__ import annotations

from typing import Any

from obroute.kinds.settings import is_flag


def words_of(kind: Any, network: str, routing: str) -> list[str]:
    """Return the words of a command of a kind, but for where its store goes.

    What has to be given besides is the routing dor.
    """
    fields = kind.settings.fields().items()
    words = [kind.command, network, *("dor" for _, (_, option) in fields if option.argument)]
    words += [routing] if kind.takes_routing else []
    if not kind.is_usual:  # of a command that kinds share: what says that this one is meant
        for field, (info, option) in fields:
            said = True if is_flag(info) else info.get_default(call_default_factory=True)
            if kind.is_meant({field: said}):
                return [*words, option.word, *([] if is_flag(info) else map(str, said))]
    return words
