"""Rules about the language of the project that no linter knows; ruff's D401 checks the mood of docstrings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("src", "tests", "bench")
QUESTION = re.compile(r"(What|Who|Whose|Whom|Whoever|Whether|Where|How|Which|When|Whatever|Whichever)\b")


def modules() -> Iterator[Path]:
    for folder in CODE:
        yield from sorted((ROOT / folder).rglob("*.py"))


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of the docstrings of a module, its classes, functions and fields."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                text = statement.value.value
                if isinstance(text, str):
                    yield statement.lineno, text.strip()


def test_no_docstring_opens_with_a_question_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for path in modules()
        for line, text in docstrings(path.read_text())
        if QUESTION.match(text)
    ]
    assert found == []


def test_packages_and_states_are_not_called_houses() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in [*modules(), *pages]
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(r"\bhouses?\b", line, re.IGNORECASE)
    ]
    assert found == []


def test_docstrings_that_open_with_a_question_word_are_found() -> None:
    source = (
        'class A:\n    """Things."""\n    b: int = 1\n    """Whether b."""\n\ndef f():\n    """How so."""\n'
    )
    assert [line for line, text in docstrings(source) if QUESTION.match(text)] == [4, 7]
