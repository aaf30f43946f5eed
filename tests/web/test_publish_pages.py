import sys
from pathlib import Path

import httpx
import pytest

from overtrick.event.setup import SetStatus, Status
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring.report import player_key
from overtrick.store.player_index import PlayerIndex
from tests.scoring.test_pages import read
from tests.waiting import wait_for
from tests.web.recorded import finish
from tests.web.running import Running, evening
from tests.web.test_club_pages import save


def publish(
    pages: Running, browser: httpx.Client, guid: str, path: str = "", **fields: str
) -> httpx.Response:
    browser.get("/desk")
    token = pages.keys.form_token(browser.cookies["overtrick_desk"])
    return browser.post(f"/desk/{guid}/publish{path}", data={"token": token, **fields})


def test_button_without_settings_says_what_to_write(browser: httpx.Client, pages: Running, guid: str) -> None:
    assert "publish.toml" in browser.get(f"/desk/{guid}/publish").text
    answer = publish(pages, browser, guid)
    assert answer.status_code == 400
    assert "folder = &#34;site&#34;" in answer.text
    assert "Publish again" not in answer.text
    assert f'href="/desk/{guid}/results"' in answer.text


def test_button_writes_the_site_runs_the_command_and_shows_the_mail(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    save(pages, browser, name="Club Aurora", number="4711")
    pages.do(SetStatus(guid, Status.FINISHED))
    command = [sys.executable, "-c", "print('sent <b>')"]
    (pages.folder / "publish.toml").write_text(
        f'folder = "site"\naddress = "https://club.example"\ncommand = {command}\n', encoding="utf-8"
    )
    answer = publish(pages, browser, guid)
    assert answer.status_code == 200
    assert "sent &lt;b&gt;" in answer.text
    (folder,) = [each for each in (pages.folder / "site").iterdir() if each.is_dir()]
    assert f"All results: https://club.example/{folder.name}/" in answer.text
    assert "<CLUB_ID_NUMBER>4711</CLUB_ID_NUMBER>" in (folder / "results.xml").read_text(encoding="utf-8")
    served = {"index.html", "summary.html", "matrix.html", "hands.html", "style.css", "results.pbn"}
    assert served <= {each.name for each in folder.iterdir()}


@pytest.mark.parametrize("field", ["folder", "command", "publish_file", "settings"])
def test_request_cannot_choose_the_folder_or_the_command(
    browser: httpx.Client, pages: Running, guid: str, tmp_path: Path, field: str
) -> None:
    (pages.folder / "publish.toml").write_text('folder = "site"\n', encoding="utf-8")
    answer = publish(pages, browser, guid, **{field: str(tmp_path / "elsewhere")})
    assert answer.status_code == 200
    assert (pages.folder / "site" / "index.html").exists()
    assert list(tmp_path.iterdir()) == []


def test_failed_upload_is_shown_and_the_files_stay(browser: httpx.Client, pages: Running, guid: str) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no route')"]
    (pages.folder / "publish.toml").write_text(f'folder = "site"\ncommand = {command}\n', encoding="utf-8")
    answer = publish(pages, browser, guid)
    assert "The upload failed with status 1." in answer.text
    assert "no route" in answer.text
    assert (pages.folder / "site" / "index.html").exists()


def test_form_without_its_token_publishes_nothing(browser: httpx.Client, pages: Running, guid: str) -> None:
    (pages.folder / "publish.toml").write_text('folder = "site"\n', encoding="utf-8")
    browser.get("/desk")
    assert browser.post(f"/desk/{guid}/publish", data={"token": "x"}).status_code == 403
    assert not (pages.folder / "site").exists()


def test_director_chooses_a_folder_beside_the_journal_and_publishes(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    assert "Choose a folder first" in browser.get(f"/desk/{guid}/publish").text
    answer = publish(
        pages, browser, guid, "/folder", folder="club-results", address="https://club.example/a", command="rm"
    )
    assert answer.status_code == 303
    assert "rm" not in (pages.folder / "publish.toml").read_text(encoding="utf-8").splitlines()[1:]
    answer = publish(pages, browser, guid)
    assert answer.status_code == 200
    assert "https://club.example/a/" in answer.text
    assert (pages.folder / "club-results" / "index.html").exists()
    assert publish(pages, browser, guid, "/folder", folder="other").status_code == 303
    assert 'folder = "other"' in (pages.folder / "publish.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"folder": ""}, "has the letters a to z"),
        ({"folder": "../elsewhere"}, "has the letters a to z"),
        ({"folder": "/tmp/elsewhere"}, "has the letters a to z"),
        ({"folder": ".."}, "has the letters a to z"),
        ({"folder": "a\\b"}, "has the letters a to z"),
        ({"folder": "taken"}, "did not publish"),
        ({"folder": "site", "address": "javascript:alert(1)"}, "address must look like"),
    ],
)
def test_folder_that_is_no_plain_name_or_has_files_of_others_is_refused(
    browser: httpx.Client, pages: Running, guid: str, fields: dict[str, str], sentence: str
) -> None:
    (pages.folder / "taken").mkdir()
    (pages.folder / "taken" / "letters.txt").write_text("mine")
    answer = publish(pages, browser, guid, "/folder", **fields)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert not (pages.folder / "publish.toml").exists()


def test_settings_that_a_person_wrote_are_not_changed_by_the_form(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    own = 'folder = "site"\ncommand = ["upload"]\n'
    (pages.folder / "publish.toml").write_text(own, encoding="utf-8")
    assert 'name="folder"' not in browser.get(f"/desk/{guid}/publish").text
    answer = publish(pages, browser, guid, "/folder", folder="other")
    assert answer.status_code == 400
    assert "by hand" in answer.text
    assert (pages.folder / "publish.toml").read_text(encoding="utf-8") == own


def ended(pages: Running, seed: int) -> str:
    """An evening that has ended, whose players are in the index."""
    guid = evening(pages, 2, 0, seed, has_deals=False)
    finish(pages, guid)
    pages.do(SetStatus(guid, Status.FINISHED))
    key = someone(pages, guid)[0]
    wait_for(lambda: guid in {one.session for one in PlayerIndex(pages.journal).sessions_of(key)})
    return guid


def someone(pages: Running, guid: str) -> tuple[str, str]:
    """The key and name of a player."""
    player = next(iter(pages.session(guid).seating.players.values()))
    return player_key(player.number, player.name), player.name


def texts(site: Path) -> str:
    """Everything that is on a site."""
    return "\n".join(
        file.read_text(encoding="utf-8")
        for file in sorted(site.rglob("*"))
        if file.is_file() and file.suffix != ".png"
    )


def test_name_that_is_hidden_later_disappears_from_all_pages_when_another_session_is_published(
    browser: httpx.Client, pages: Running
) -> None:
    first, second = ended(pages, 1), ended(pages, 2)
    key, name = someone(pages, first)
    privacy = PlayerPrivacyStore(pages.journal.documents)
    privacy.set_pages_public(True)
    (pages.folder / "publish.toml").write_text('folder = "site"\n', encoding="utf-8")
    site = pages.folder / "site"
    publish(pages, browser, first)
    assert name in texts(site)
    privacy.set_hidden(key, True)
    answer = publish(pages, browser, second)
    assert name not in texts(site)
    assert "These sessions named players who do not want to be named" in answer.text
    assert (
        "These sessions named players who do not want to be named" not in publish(pages, browser, second).text
    )


def test_site_has_pages_of_players_if_the_club_makes_them_public(
    browser: httpx.Client, pages: Running
) -> None:
    guid = ended(pages, 1)
    privacy = PlayerPrivacyStore(pages.journal.documents)
    privacy.set_pages_public(True)
    (pages.folder / "publish.toml").write_text('folder = "site"\n', encoding="utf-8")
    site = pages.folder / "site"
    publish(pages, browser, guid)
    assert 'href="players/index.html"' in (site / "index.html").read_text(encoding="utf-8")
    files = {file.name: file.read_text(encoding="utf-8") for file in (site / "players").iterdir()}
    readers = dict(read(files))
    assert len(readers) == 1 + len(pages.session(guid).seating.players)
    for reader in readers.values():
        for link in reader.links:
            assert link.startswith("#") or (site / "players" / link).exists(), link
    assert any("card-" in link for reader in readers.values() for link in reader.links)
    key, name = someone(pages, guid)
    privacy.set_hidden(key, True)
    publish(pages, browser, guid)
    assert name not in texts(site)
    privacy.set_pages_public(False)
    publish(pages, browser, guid)
    assert list((site / "players").glob("*.html")) == []
    assert "players/index.html" not in (site / "index.html").read_text(encoding="utf-8")
