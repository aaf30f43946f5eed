"""The director's desk and the named pipe: who is connected, and disconnecting it."""

import httpx
import pytest

from overtrick.connector.client import Client, NoConnection, RequestRefused
from overtrick.connector.wire.numbers import ErrorType
from tests.connector.running import running
from tests.waiting import wait_for
from tests.web.running import collapse, token_of


def test_the_desk_shows_the_connected_program_and_disconnects_it() -> None:
    with running(with_pages=True) as served, httpx.Client(base_url=served.pages) as desk:

        def page() -> str:
            return collapse(desk.get("/desk").text)

        assert "No scoring program is connected to the pipe." in page()
        with Client.over_pipe(served.pipe) as first, Client.over_pipe(served.pipe) as second:
            assert first.ping()
            token = token_of(desk.get("/desk").text)
            assert "A scoring program has been connected to the pipe since" in page()
            assert "its last request came at" in page()
            with pytest.raises(RequestRefused) as refusal:
                second.ping()
            assert refusal.value.error is ErrorType.Busy
            stranger = desk.post("/desk/pipe/disconnect", data={"token": "x"})
            assert stranger.status_code == 403
            assert first.ping(), "nobody but the director disconnects it"
            done = desk.post("/desk/pipe/disconnect", data={"token": token})
            assert (done.status_code, done.headers["location"]) == (303, "/desk")
            wait_for(lambda: "No scoring program is connected to the pipe." in page())
            with pytest.raises(NoConnection):
                first.ping()
            second.close()
            assert second.ping(), "the other one gets the pipe"
            second.disconnect()
        wait_for(lambda: "No scoring program is connected to the pipe." in page())
        again = desk.post("/desk/pipe/disconnect", data={"token": token})
        assert again.status_code == 400
        assert "No scoring program is connected" in again.text
