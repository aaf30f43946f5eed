import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from overtrick.scoring import Contestant, Method
from overtrick.scoring.pages import write_pages
from overtrick.scoring.report import Report, file_name

from .reports import NASTY, pairs_report, ruled_report, teams_report

REPORTS = [
    pairs_report(),
    pairs_report(two_winners=True),
    pairs_report(Method.BUTLER),
    teams_report(),
    teams_report(Method.PATTON),
    ruled_report(),
    Report("Nothing yet", pairs_report().scored.__class__(Method.MATCHPOINTS, (), ())),
]


class Reader(HTMLParser):
    """Collects links, identifiers, texts and scripts, and holds tags to their ends."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "line", "rect", "polyline", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.marks: set[str] = set()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value or "")
            if name == "id":
                self.marks.add(value or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(pages: dict[str, str]) -> Iterator[tuple[str, Reader]]:
    for name, text in pages.items():
        if name.endswith(".html"):
            reader = Reader()
            reader.feed(text)
            reader.close()
            assert reader.open == []
            yield name, reader


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: f"{report.scored.method.value}")
def test_pages_stand_alone_and_every_link_leads_somewhere(report: Report) -> None:
    pages = write_pages(report)
    readers = dict(read(pages))
    assert "index.html" in readers
    for name, reader in readers.items():
        assert "script" not in reader.tags
        for link in reader.links:
            target, _, mark = link.partition("#")
            assert (target or name) in pages, f"{name} links to {link}"
            assert not mark or mark in readers[target or name].marks
    assert "http" not in pages["style.css"]
    assert "@import" not in pages["style.css"]
    assert "url(" not in pages["style.css"]


def test_what_people_typed_is_escaped() -> None:
    pages = write_pages(pairs_report())
    for _, reader in read(pages):
        assert "b" not in reader.tags
        assert NASTY in reader.text
    assert "Ann <b>A</b>" in dict(read(pages))["card-A1.html"].text
    assert all("<script" not in text for text in pages.values())


def test_the_pages_of_an_evening_of_pairs() -> None:
    pages = write_pages(pairs_report())
    assert {"board-1.html", "board-2.html", "board-3.html", "matrix.html", "hands.html"} <= set(pages)
    assert sum(name.startswith("card-") for name in pages) == 8
    texts = {name: " ".join(reader.text.split()) for name, reader in read(pages)}
    assert "A1 cannot play against itself." in texts["index.html"]
    assert "4♠x" in texts["board-1.html"]
    assert "Par NS 420" in texts["board-1.html"]
    assert "How the field did" in texts["board-1.html"]
    assert '<svg class="plot field"' in pages["board-1.html"]
    assert '<svg class="plot card"' in pages["card-A1.html"]
    assert "-1 by the director" in texts["card-A2.html"]
    assert re.search(r"Rank \d=? with", texts["card-A1.html"])


def test_pages_name_the_rules_and_rulings_and_say_that_results_are_provisional() -> None:
    pages = {name: reader.text for name, reader in read(write_pages(ruled_report()))}
    weighted = (
        "Board 1, A1 against A5: 60 % of 4♠ N =, 40 % of 4♠ N -1 (A1 2.2 of 6, A5 3.8 of 6). "
        "At the table: 4♠ N =. Misinformation. Appeal pending."
    )
    for text in pages.values():
        assert "rules: EBU" in text
        assert "Provisional until 2026-03-09 23:30. An appeal is pending." in text
    assert weighted in pages["index.html"]
    assert f"A2: -1 MP. {NASTY}" in pages["index.html"]
    assert re.search(r"–\s+A3", pages["index.html"])
    assert weighted in pages["board-1.html"]
    assert "results compared in groups" in pages["board-1.html"]
    assert weighted in pages["card-A5.html"]
    assert weighted not in pages["card-A2.html"]
    assert "A2: -1 MP" in pages["card-A2.html"]


def test_two_winners_have_two_rankings_and_pages_of_their_own() -> None:
    pages = write_pages(pairs_report(two_winners=True))
    assert "card-A1-ns.html" in pages
    assert "card-A1-ew.html" in pages
    assert "North-South" in pages["index.html"]
    assert "East-West" in pages["index.html"]


def test_boards_of_a_match_are_counted_in_imps() -> None:
    pages = write_pages(teams_report())
    assert "IMP NS" in pages["board-1.html"]
    assert "<th>VP</th>" in pages["index.html"]
    assert "BAM" in write_pages(teams_report(Method.PATTON))["board-1.html"]


def test_no_section_can_leave_the_folder() -> None:
    assert file_name("A") == "A"
    assert not set('/\\.:"<>|?*') & set(file_name('../../etc/passwd\\C:"<>|?*'))
    assert file_name("a/b") != file_name("a_b")
    report = pairs_report()
    evil = Contestant("../x", 1)
    moved = Report(
        "x",
        report.scored.__class__(
            Method.MATCHPOINTS,
            (),
            tuple(
                traveller.__class__(
                    "../../y",
                    traveller.board,
                    tuple(
                        one.__class__(
                            one.line.__class__(one.line.board, evil, one.line.ew, one.line.outcome),
                            one.ns,
                            one.ew,
                        )
                        for one in traveller.lines
                    ),
                )
                for traveller in report.scored.travellers
            ),
        ),
    )
    for name in write_pages(moved):
        assert re.fullmatch(r"[A-Za-z0-9_-]+\.(html|css)", name)


@pytest.mark.browser
@pytest.mark.parametrize("report", [pairs_report(), ruled_report()], ids=lambda report: report.title[:5])
def test_a_phone_shows_a_board_without_scrolling_sideways(
    tmp_path: Path, require_program: Callable[[str], str], report: Report
) -> None:
    """A real browser lays the pages out as wide as a phone: no page may be wider."""
    chromium = require_program("chromium")
    pages = write_pages(report)
    # A frame as wide as a phone reports the width that its page needs.
    frames = "".join(
        f'<iframe src="{name}" width="390" height="800"></iframe>' for name in pages if name != "style.css"
    )
    probe = f"""{frames}<pre id=found></pre><script>onload = () => {{
        found.textContent = [...document.querySelectorAll("iframe")]
            .map(frame => frame.contentDocument.documentElement.scrollWidth).join(" ")
    }}</script>"""
    for name, text in {**pages, "probe.html": probe}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [
            *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000", "--dump-dom"),
            (tmp_path / "probe.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    found = re.search(r'<pre id="found">([\d ]+)</pre>', ran.stdout)
    assert found, ran.stdout[-500:]
    widths = [int(width) for width in found[1].split()]
    assert len(widths) == len(pages) - 1
    assert max(widths) <= 390


def test_without_names_there_is_no_column_for_them() -> None:
    report = pairs_report()
    assert ">Names<" in write_pages(report)["index.html"]
    nameless = replace(report, players={}, team_names={})
    for name, text in write_pages(nameless).items():
        assert ">Names<" not in text, name
