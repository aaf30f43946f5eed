"""`overtrick desk members`: a list of members is imported, and duplicates are listed with what is done about them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.errors import OvertrickError
from overtrick.registry import Members, open_registry

FIRST = "number,first name,last name\n7,Ann,Berg\n,Bo,Ek\n"
SECOND = "number,first name,last name\n7,Anna,Berg\n8,Bo,Ek\n11,Cy,Fisk\n11,Di,Gran\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "first.csv").write_text(FIRST)
    (tmp_path / "second.csv").write_text(SECOND)
    run(tmp_path, "first.csv")
    return tmp_path


def run(folder: Path, name: str, *options: str) -> str:
    words = ["desk", "members", str(folder / name), "--data", str(folder / "data"), *options]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def names(folder: Path) -> list[str]:
    with open_registry(folder / "data" / "people.registry") as registry:
        return [f"{member.name} {member.number}".strip() for member in Members(registry).find()]


def test_preview_lists_duplicates_and_changes_nothing(folder: Path) -> None:
    assert run(folder, "second.csv", "--preview").splitlines() == [
        "line 2: Anna Berg 7 has the number of Ann Berg 7: keep",
        "line 3: Bo Ek 8 has the name of Bo Ek: take",
        "line 5: twice in the list: keep",
        "1 new member, 2 duplicates. Nothing was changed.",
    ]
    assert names(folder) == ["Ann Berg 7", "Bo Ek"]


def test_lines_are_imported_as_decided(folder: Path) -> None:
    output = run(folder, "second.csv", "--take", "2", "--keep", "3")
    assert output.splitlines()[-1] == "1 member added, 1 changed."
    assert names(folder) == ["Anna Berg 7", "Bo Ek", "Cy Fisk 11"]


@pytest.mark.parametrize(("name", "options"), [("none.csv", ()), ("second.csv", ("--add", "2"))])
def test_missing_file_or_impossible_decision_is_refused(
    folder: Path, name: str, options: tuple[str, ...]
) -> None:
    with pytest.raises(OvertrickError):
        run(folder, name, *options)
    assert names(folder) == ["Ann Berg 7", "Bo Ek"]
