import sys
from pathlib import Path

import httpx
import pytest

from overtrick.event.setup import SetStatus, Status
from tests.web.running import Running
from tests.web.test_club_pages import save


def publish(pages: Running, browser: httpx.Client, guid: str, **fields: str) -> httpx.Response:
    browser.get("/desk")
    token = pages.keys.form_token(browser.cookies["overtrick_desk"])
    return browser.post(f"/desk/{guid}/publish", data={"token": token, **fields})


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
