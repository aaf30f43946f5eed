"""A page that many follow: what is kept of its changes, and what whoever is behind is sent."""

import asyncio
import json
from collections.abc import Callable

from overtrick.web.keyed_rows import KeyedRows
from overtrick.web.live_page import REMEMBERED, LivePage, RenderedPage
from overtrick.web.sse_messages import Regions, StreamMessage, change_message

DRAWN: list[int] = []
"""The versions that were drawn, which takes long."""


def ranking(version: int) -> Regions:
    """A long ranking in which one figure has changed."""

    def draw() -> str:
        DRAWN.append(version)
        return f"<table>{'<tr><td>A pair of this ranking</td></tr>' * 200}</table>"

    return {"ranking": KeyedRows(({"A1": ("1", str(version)), "A2": ("2", "0")},), "", draw)}


def text(version: int) -> Regions:
    """A page that is sent whole whenever it changes."""
    return {"text": f"{version} results. " * 50}


def page_after(changes: int, regions: Callable[[int], Regions]) -> LivePage:
    """A page that somebody has followed from its first version on."""

    async def follow() -> LivePage:
        page = LivePage(regions, RenderedPage("", 1, 1, regions(1), 0.0), 1)
        for version in range(2, changes + 2):
            look = RenderedPage("", 1, version, regions(version), 0.0)
            page.update(look, change_message(look.mark, page.rendering.regions, look.regions))
        return page

    DRAWN.clear()
    return asyncio.run(follow())


def said(pieces: list[StreamMessage]) -> list[object]:
    return [json.loads(piece.plain.split(b"data: ")[1])["ranking"] for piece in pieces]


def test_follower_slightly_behind_gets_the_changes_without_rendering() -> None:
    page = page_after(20, ranking)
    assert len(DRAWN) <= 1, "once, to know how long it is"
    assert said(page.changes_after(17)) == [[[0, 0, [["A1", 0, str(version)]]]] for version in (19, 20, 21)]
    assert len(page.changes_after(0)) == 20
    assert len(DRAWN) <= 1


def test_follower_far_behind_gets_the_whole_page() -> None:
    page = page_after(REMEMBERED + 5, ranking)
    assert len(page.changes) == REMEMBERED
    assert len(page.changes_after(5)) == REMEMBERED
    assert [page.changes_after(number) for number in (4, 0, -1)] == [[page.whole]] * 3
    assert DRAWN[-1] == REMEMBERED + 6


def test_changes_as_long_as_the_page_are_not_kept() -> None:
    page = page_after(REMEMBERED, text)
    assert len(page.changes) == 1
    assert page.changes_after(REMEMBERED - 1) == [page.changes[0].change]
    assert page.changes_after(REMEMBERED - 2) == [page.whole]
