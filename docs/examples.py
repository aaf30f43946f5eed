"""What mkdocstrings does besides: the examples of a docstring, which start with `>>>`, are shown as code."""

from typing import Any

import griffe


class Examples(griffe.Extension):
    """Puts a fence around every paragraph of a docstring that is an example."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one thing."""
        if obj.docstring is not None and ">>>" in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """The docstring with its examples in fences.

    >>> print(fenced("Adds.\\n\\n>>> 1 + 1\\n2\\n\\nAnd so on."))
    Adds.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    And so on.
    """
    paragraphs = docstring.strip().split("\n\n")
    return "\n\n".join(f"```pycon\n{each}\n```" if each.startswith(">>>") else each for each in paragraphs)
