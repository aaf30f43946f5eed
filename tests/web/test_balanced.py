"""Pages behind a load balancer or a proxy: they answer to its name, and limits are for those behind it."""

from pathlib import Path

import httpx
import pytest

from overtrick.errors import BadInput
from overtrick.host.web import PageServerSettings
from tests.web.running import evening, running

PUBLIC = "http://Pages.example:8000"


def test_public_host_name_is_accepted_and_printed_on_cards(tmp_path: Path) -> None:
    with running(PageServerSettings(tmp_path, 0, public=PUBLIC, proxies=("127.0.0.1",))) as pages:
        guid = evening(pages, tables=2, rounds=1)
        with httpx.Client(base_url=pages.address, timeout=30) as client:
            assert client.get("/results", headers={"host": "pages.example:8000"}).status_code == 200
            assert client.get("/results", headers={"host": "other.example"}).status_code == 421
            assert client.get("/healthz", headers={"host": "other.example"}).status_code == 200
            cards = client.get(f"/desk/{guid}/cards", follow_redirects=True)
        assert cards.status_code == 200
        assert f"{PUBLIC}/join" in cards.text


def guess(client: httpx.Client, who: str) -> httpx.Response:
    return client.get("/join?code=AAAA0000", headers={"x-forwarded-for": who})


@pytest.mark.parametrize(("proxies", "is_told"), [(("127.0.0.1",), False), ((), True)])
def test_wrong_codes_are_counted_per_phone_only_behind_a_known_proxy(
    proxies: tuple[str, ...], is_told: bool, tmp_path: Path
) -> None:
    with (
        running(PageServerSettings(tmp_path, 0, proxies=proxies)) as pages,
        httpx.Client(base_url=pages.address, timeout=30) as client,
    ):
        while guess(client, "198.51.100.7").status_code != 429:
            pass
        other = guess(client, "198.51.100.8")
        assert (other.status_code == 429) is is_told, "without --proxy the header is not believed"


@pytest.mark.parametrize(
    "serving",
    [{"public": "pages.example"}, {"public": "http://pages.example/club"}, {"proxies": ("pages.example",)}],
)
def test_invalid_address_is_refused(serving: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(BadInput), running(PageServerSettings(tmp_path, 0, **serving)):  # type: ignore[arg-type]
        pass
