import json
from dataclasses import replace
from datetime import date

import pytest

from overtrick.errors import BadInput
from overtrick.scoring.publication import Publication, announcement, session_files

from .reports import NASTY, pairs_report, teams_report
from .test_pages import read


def test_session_that_is_published_again_keeps_its_folder() -> None:
    report = replace(pairs_report(), title="Club night")
    first = Publication({}).with_session("one", report)
    assert first.sessions["one"].folder == "2026-03-09-club-night"
    moved = first.with_session("one", replace(report, title="Renamed", played_on=date(2026, 4, 1)))
    assert moved.sessions["one"].folder == "2026-03-09-club-night"
    assert moved.sessions["one"].title == "Renamed"


def test_two_sessions_of_one_name_and_day_have_two_folders() -> None:
    report = replace(pairs_report(), title="Club night")
    both = (
        Publication({}).with_session("one", report).with_session("two", report).with_session("three", report)
    )
    assert [each.folder for each in both.sessions.values()] == [
        "2026-03-09-club-night",
        "2026-03-09-club-night-2",
        "2026-03-09-club-night-3",
    ]


def test_manifest_is_read_as_it_was_written() -> None:
    publication = (
        Publication({})
        .with_session("one", pairs_report())
        .with_session("two", replace(pairs_report(), played_on=None))
    )
    assert Publication.parse(str(publication)) == publication


@pytest.mark.parametrize("folder", ["..", "../../etc", "/tmp", "a/b", "", ".", "A b"])
def test_manifest_that_names_a_folder_outside_the_site_is_refused(folder: str) -> None:
    text = json.dumps({"sessions": {"one": {"folder": folder, "title": "x", "day": ""}}})
    with pytest.raises(BadInput, match="outside the site"):
        Publication.parse(text)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sessions": {"a": {}}}', '{"sessions": {"a": 1}}'])
def test_manifest_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not a list of published sessions"):
        Publication.parse(text)


def test_list_has_the_newest_month_first_and_every_link_leads_to_a_folder() -> None:
    publication = Publication({})
    for key, day in (("a", date(2026, 1, 5)), ("b", date(2026, 3, 5)), ("c", date(2026, 1, 9))):
        publication = publication.with_session(key, replace(pairs_report(), title=NASTY, played_on=day))
    assert [(month, [each.day for each in group]) for month, group in publication.by_month()] == [
        ("March 2026", [date(2026, 3, 5)]),
        ("January 2026", [date(2026, 1, 9), date(2026, 1, 5)]),
    ]
    pages = publication.pages("Club & Co", "logo.png")
    ((_, reader),) = read(pages)
    assert NASTY in reader.text
    assert "Club & Co" in reader.text
    folders = {f"{each.folder}/index.html" for each in publication.sessions.values()}
    assert folders <= set(reader.links)
    assert set(reader.links) - folders == {"#main", "index.html", "style.css", "logo.png"}


def test_folder_of_a_session_has_pages_and_the_files_for_the_federation() -> None:
    files = session_files(pairs_report(), "logo.jpg")
    assert {"index.html", "summary.html", "results.xml", "results.pbn", "results.csv"} <= set(files)
    assert b'src="../logo.jpg"' in files["index.html"]
    assert b'href="../index.html"' in files["index.html"]
    assert b'href="results.xml" download' in files["index.html"]
    assert b"CLUB_ID_NUMBER" in files["results.xml"]


def test_announcement_names_the_first_three_and_links_to_the_pages() -> None:
    report = replace(pairs_report(two_winners=True), title="Club night")
    text = announcement([(report, "https://club.example/x/")], "Club & Co")
    assert text.startswith("Club night, 9 March 2026, Club & Co\n\nNS: 1. ")
    assert "All results: https://club.example/x/\n" in text
    assert "https://club.example/x/summary.html" in text
    assert sum(line.startswith("EW: ") for line in text.splitlines()) == 3
    assert "http" not in announcement([(teams_report(), "")], "")
