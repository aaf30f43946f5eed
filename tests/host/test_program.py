"""The pages' server for phones: opened and closed while the program runs."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from overtrick.host import program
from overtrick.host.program import NO_NETWORK, PhoneServer
from overtrick.store.documents import FolderDocuments
from tests.waiting import wait_for_async

FIRST, SECOND = "127.0.0.2", "127.0.0.3"


class Network:
    """The network of a computer: its address, which may change."""

    def __init__(self, folder: Path, host: str = FIRST) -> None:
        self.host, self.shown = host, ""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("desk"))])
        self.phones = PhoneServer(app, self.port, FolderDocuments(folder), lambda: self.host, self._show)

    def _show(self, address: str) -> None:
        self.shown = address

    async def answers(self, host: str) -> bool:
        try:
            async with httpx.AsyncClient() as client:
                return (await client.get(f"http://{host}:{self.port}/")).text == "desk"
        except httpx.HTTPError:
            return False


async def closed(network: Network) -> bool:
    return not network.phones.address and not await network.answers(FIRST)


@asynccontextmanager
async def running(network: Network) -> AsyncIterator[PhoneServer]:
    async def close() -> None:
        pass

    async with network.phones.running(close):
        yield network.phones


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="only Linux has more than one loopback address")
def test_phones_connect_after_yes_and_again_at_the_new_address_and_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "CHECK_INTERVAL", 0.02)

    async def story() -> None:
        network = Network(tmp_path)
        async with running(network) as phones:
            assert phones.is_wanted is None
            assert not await network.answers(FIRST)
            await phones.want(True)
            assert network.shown == f"http://{FIRST}:{network.port}"
            assert await network.answers(FIRST)
            network.host = SECOND
            await wait_for_async(lambda: network.answers(SECOND))
            assert not await network.answers(FIRST)
            network.host = ""
            await wait_for_async(lambda: phones.problem == NO_NETWORK)
            assert network.shown == ""
        again = Network(tmp_path)
        async with running(again) as phones:
            await wait_for_async(lambda: again.answers(FIRST))
            await phones.want(False)
            await wait_for_async(lambda: closed(again))
        assert Network(tmp_path).phones.is_wanted is False

    asyncio.run(story())


def test_taken_port_is_the_problem_that_the_desk_shows(tmp_path: Path) -> None:
    async def story() -> None:
        network = Network(tmp_path)
        with socket.create_server((FIRST, network.port)):
            async with running(network) as phones:
                await phones.want(True)
                assert "already in use" in phones.problem
                assert not network.shown

    asyncio.run(story())


def test_damaged_answer_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / program.DOCUMENT).write_text("[", encoding="utf-8")
    assert Network(tmp_path).phones.is_wanted is None
