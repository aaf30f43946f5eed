"""Somebody at the desk of team events."""

import re
from datetime import UTC, datetime

import httpx

from overtrick.host.runtime import runtime_writer
from overtrick.views.teams import TeamView
from tests.web.running import Running, collapse, token_of

JSON = {"accept": "application/json"}
NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)
EVIL = "<b>Evil</b> & Sons"


class TeamDirector:
    """Somebody at the desk of team events."""

    def __init__(self, browser: httpx.Client, pages: Running) -> None:
        self.browser = browser
        self.pages = pages
        self.token = token_of(browser.get("/desk/password").text)
        self.event = ""

    def open(self, name: str = "League", expected: int = 303, /, **form: str) -> None:
        asked = {"name": name, "serie-name": "Open", "format": "round robin", "method": "vps-continuous"}
        answer = self.browser.post(
            "/desk/teams/new", data={"token": self.token, "boards": "4", **asked, **form}
        )
        assert answer.status_code == expected, answer.text
        if expected == 303:
            self.event = answer.headers["location"].split("/")[3]

    def act(self, act: str, expected: int = 200, /, **form: object) -> str:
        answer = self.browser.post(
            f"/desk/teams/{self.event}/act/{act}",
            data={
                "token": self.token,
                **{name.replace("__", "-"): str(value) for name, value in form.items()},
            },
            headers=JSON,
        )
        assert answer.status_code == expected, answer.text
        return str(answer.json()["sentence"])

    def look(self, path: str = "", expected: int = 200, desk: bool = True) -> str:
        answer = self.browser.get(f"{'/desk' if desk else ''}/teams/{self.event}{path}")
        assert answer.status_code == expected, answer.text
        return collapse(answer.text)

    def draw(self, division: int = 1, **asked: str) -> str:
        page = self.browser.get(f"/desk/teams/{self.event}/{division}/draw", params=asked).text
        seen = re.search('name="seen" value="([^"]*)"', page)
        assert seen is not None, page
        return self.act("draw", **{"serie": division, "segments": "1", **asked, "seen": seen[1]})

    def board(
        self, home: int, board: int, room: str, typed: str, expected: int = 200, /, **form: object
    ) -> str:
        place = {"serie": 1, "round": 1, "segment": 1, "home": home, "board": board, "room": room}
        return self.act("board", expected, **{**place, "typed": typed, **form})

    @property
    def view(self) -> TeamView:
        with runtime_writer(self.pages.journal).reading() as runtime:
            return TeamView.of(runtime, runtime.team_events[self.event])

    def send(self, content: bytes, name: str = "file.txt", **form: str) -> str:
        """The address of the preview of a file."""
        answer = self.browser.post(
            "/desk/teams/import",
            data={"token": self.token, "event": self.event, **form},
            files={"file": (name, content)},
        )
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def take(self, preview: str, expected: int = 200, /, **form: str) -> str:
        page = self.browser.get(preview).text
        seen = re.search('name="seen" value="([^"]*)"', page)
        answer = self.browser.post(
            preview, data={"token": self.token, "seen": seen[1] if seen else "", **form}
        )
        assert answer.status_code == expected, answer.text
        return answer.text


def first_match(director: TeamDirector) -> tuple[int, int]:
    return next((one.home, one.away) for one in director.view.draws[1, 1].pairings)
