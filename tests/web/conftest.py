"""Pages on a small evening, served once for the tests that only look and those that change little."""

from collections.abc import Iterator

import httpx
import pytest

from tests.web.running import Running, evening, running


@pytest.fixture
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Pages of an empty house."""
    with running(tmp_path_factory.mktemp("pages")) as served:
        yield served


@pytest.fixture
def guid(pages: Running) -> str:
    """An evening of four tables, two rounds of which are played."""
    return evening(pages)


@pytest.fixture
def browser(pages: Running) -> Iterator[httpx.Client]:
    """Something that asks like a browser, and keeps cookies."""
    with httpx.Client(base_url=pages.address, timeout=20) as client:
        yield client


def token_of(page: str) -> str:
    """The token that the forms of a page carry."""
    return page.split('name="token" value="')[1].split('"')[0]
