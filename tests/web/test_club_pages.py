import httpx
import pytest

from overtrick.registry.club import LARGEST_LOGO
from tests.registry.test_club import JPEG, PNG
from tests.web.running import Running


def save(pages: Running, browser: httpx.Client, logo: bytes = b"", **fields: str) -> httpx.Response:
    browser.get("/desk")
    token = pages.keys.form_token(browser.cookies["overtrick_desk"])
    files = {"logo": ("logo.svg", logo, "image/svg+xml")} if logo else None
    return browser.post("/desk/club", data={"token": token, **fields}, files=files)


def test_club_name_is_on_every_page_and_in_federation_files(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    before = browser.get(f"/results/{guid}/").text
    assert "/club/logo" not in before
    assert browser.get("/club/logo").status_code == 404
    assert save(pages, browser, JPEG, name="Club <b>&</b> Co", number="4711").status_code == 303
    for path in ("/", "/results", "/desk", "/desk/club", f"/results/{guid}/"):
        text = browser.get(path).text
        assert "Club &lt;b&gt;&amp;&lt;/b&gt; Co" in text
        assert '<img src="/club/logo" alt="">' in text
    usebio = browser.get(f"/results/{guid}/results.xml").text
    assert "<CLUB_NAME>Club &lt;b&gt;&amp;&lt;/b&gt; Co</CLUB_NAME>" in usebio
    assert "<CLUB_ID_NUMBER>4711</CLUB_ID_NUMBER>" in usebio


def test_logo_has_the_type_of_its_content_and_security_headers(browser: httpx.Client, pages: Running) -> None:
    save(pages, browser, PNG, name="Club")
    answer = browser.get("/club/logo")
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert browser.get("/club/logo", headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    save(pages, browser, name="Club", remove="1")
    assert browser.get("/club/logo").status_code == 404


@pytest.mark.parametrize(
    "logo", [b"<svg onload='alert(1)'/>", PNG + bytes(LARGEST_LOGO)], ids=["svg", "too large"]
)
def test_logo_that_is_not_accepted_changes_nothing(
    browser: httpx.Client, pages: Running, logo: bytes
) -> None:
    save(pages, browser, PNG, name="Club")
    answer = save(pages, browser, logo, name="Other")
    assert answer.status_code == 400
    assert "Nothing was changed." in answer.text
    assert browser.get("/club/logo").content == PNG
    assert "Other" not in browser.get("/").text
