"""Lists of members as text: CSV with a header, and USEBIO. No file access.

The header may have the column names of common lists, such as those that EBU, ACBL, Bridgewebs and scoring programs
write; other columns are ignored.
"""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from xml.etree import ElementTree

from overtrick.errors import BadInput
from overtrick.registry.people import Person
from overtrick.words import printable

MOST_LINES = 20_000
MOST_COLUMNS = 200
"""The most columns of a list that are read."""
TOO_MANY = f"A list of members has at most {MOST_LINES} lines."

NUMBERS = (
    *("ebu no", "ebu number", "ebu", "national id number", "national number", "national id"),
    *("acbl number", "acbl no", "acbl", "acbl id", "acbl player number", "abf number", "abf no", "abf"),
    *("wbu number", "sbu number", "nbo number", "nzb number", "wbf code", "federation number"),
    *("member number", "member no", "member code", "membership number", "membership no", "member"),
    *("player number", "player no", "playernumber", "number", "no", "licence", "license", "strid"),
    *("club number", "club id", "clubid", "player id", "member id", "pid", "id"),
)
"""Names of a column with numbers. If a list has several, the first here counts: a federation's before a club's."""
FIRST_NAMES = (
    "first name",
    "firstname",
    "forename",
    "forenames",
    "given name",
    "given names",
    "known as",
    "first",
)
LAST_NAMES = ("last name", "lastname", "surname", "second name", "family name", "last")
NAMES = ("name", "player name", "full name", "player", "member name")
SEXES = ("sex", "gender")
_SEX = {"m": "M", "male": "M", "f": "W", "female": "W", "w": "W"}


def column_key(title: str) -> str:
    """Return a column's title in the form in which titles are compared.

    >>> column_key("EBU_No."), column_key("ACBL #"), column_key("NATIONAL_ID_NUMBER")
    ('ebu no', 'acbl no', 'national id number')
    """
    return " ".join(re.sub(r"[^\w]|_", " ", title.casefold().replace("#", " no ")).split())


def split_name(name: str) -> tuple[str, str]:
    """Return first and last name.

    A last name may be in front with a comma, or have a particle such as "van".

    >>> split_name("Ann Mary Berg"), split_name("Berg, Ann"), split_name("Jan van der Berg"), split_name("Berg")
    (('Ann Mary', 'Berg'), ('Ann', 'Berg'), ('Jan', 'van der Berg'), ('', 'Berg'))
    """
    last, comma, first = (part.strip() for part in name.partition(","))
    if comma:
        return first, last
    words = name.split()
    start = next((place for place, word in enumerate(words) if place and word in _PARTICLES), len(words) - 1)
    return " ".join(words[:start]), " ".join(words[start:])


_PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "del", "della", "di", "da", "du", "la", "le", "ten", "ter", "zu")
)


def read_member_list(text: str) -> list[tuple[int, Person]]:
    r"""Parse members from CSV, each with its line. Raise BadInput without a header that names the columns.

    Columns are separated by commas, semicolons or tabs.

    >>> ((line, member),) = read_member_list("Name;EBU No\nAnn Berg;123\n")
    >>> line, member.member_code, member.last_name
    (2, '123', 'Berg')
    """
    text = text.lstrip("\ufeff")
    rows = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=text.partition("\n")[0].count))
    try:
        titles = [column_key(title) for title in next(rows, [])[:MOST_COLUMNS]]
        number, first, last, name, sex = (
            next((titles.index(title) for title in aliases if title in titles), None)
            for aliases in (NUMBERS, FIRST_NAMES, LAST_NAMES, NAMES, SEXES)
        )
        if last is None and name is None:
            raise BadInput(
                "The first line must name the columns, such as Number, First name and Last name, or Number and Name."
            )
        members = []
        for row in rows:
            cells = [printable(cell) for cell in row[:MOST_COLUMNS]]

            def cell(column: int | None, cells: list[str] = cells) -> str:
                return cells[column] if column is not None and column < len(cells) else ""

            names = (cell(first), cell(last)) if last is not None else split_name(cell(name))
            if any(names):
                members.append((rows.line_num, person(cell(number), *names, _SEX.get(cell(sex).lower(), ""))))
            if len(members) > MOST_LINES:
                raise BadInput(TOO_MANY)
    except csv.Error as error:
        raise BadInput(f"Line {rows.line_num} cannot be read: {error}.") from None
    if not members:
        raise BadInput("There is no member in this list.")
    return members


def person(number: str, first_name: str, last_name: str, sex: str = "") -> Person:
    """Return a member of a list as a player; names and numbers have at most the length that a registry stores."""
    return Person(None, None, number[:20], last_name[:60], first_name[:60], sex, None)


def write_member_list(lines: list[tuple[int, Person]]) -> str:
    """Return members as CSV that `read_member_list` reads, each on its own line number."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("Number", "First name", "Last name", "Sex"))
    last_line = 1
    for line, member in lines:
        stream.write("\n" * (line - last_line - 1))
        writer.writerow((member.member_code, member.first_name, member.last_name, member.sex))
        last_line = line
    return stream.getvalue()


def read_usebio_members(content: bytes) -> list[tuple[int, Person]]:
    """Parse the players of a USEBIO file: a list of members, or the players of results. Raise BadInput."""
    if re.search(rb"<!ENTITY", content, re.IGNORECASE):
        raise BadInput("It declares XML entities, which no list of members needs; it was not read.")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BadInput(f"It is not XML that can be read: {error}.") from None
    if root.tag.upper() != "USEBIO":
        raise BadInput(f"An XML file that starts with {root.tag[:40]!r} is not USEBIO.")
    people = dict.fromkeys(islice(_usebio_people(root), MOST_LINES + 1))
    if len(people) > MOST_LINES:
        raise BadInput(TOO_MANY)
    if not people:
        raise BadInput("There is no player in this USEBIO file.")
    return list(enumerate(people, start=2))


def _usebio_people(root: ElementTree.Element) -> Iterator[Person]:
    for element in root.iter():
        words = {child.tag.upper(): printable(child.text or "") for child in element}
        name = words.get("PLAYER_NAME") or words.get("NAME") if element.tag.upper() == "PLAYER" else None
        names = split_name(name) if name else (words.get("FIRST_NAME", ""), words.get("SURNAME", ""))
        if any(names):
            numbers = (
                words.get(tag)
                for tag in ("NATIONAL_ID_NUMBER", "NATIONAL_NUMBER", "MEMBER_ID", "CLUB_ID_NUMBER")
            )
            number = next((number for number in numbers if number and number.strip("0")), "")
            yield person(number, *names, _SEX.get(words.get("SEX", "").lower(), ""))
