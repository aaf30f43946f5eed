"""Known players: the club's members and the players of recent sessions, for suggestions and to look up numbers."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TypeVar

from overtrick.event.seating import SessionPlayer
from overtrick.registry import Member, Members, Registry, RegistrySide, open_registry_of
from overtrick.registry.database import DOCUMENT
from overtrick.registry.members import fold
from overtrick.store.documents import Documents
from overtrick.web.session_projection import SessionProjection
from overtrick.web.site import Site

SESSIONS_REMEMBERED = 10
"""The number of recent sessions whose players are suggested."""
MOST_SUGGESTED = 20

T = TypeVar("T")


class KnownPlayers:
    """The players whom the desk knows."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._recent: dict[tuple[str, int], list[SessionPlayer]] = {}
        """The players of recent sessions, by session and its number of facts."""

    @property
    def _documents(self) -> Documents:
        return self._site.live.journal.documents

    def open(self) -> AbstractContextManager[Registry]:
        """Open the club's registry for a change; it is created if there is none."""
        return open_registry_of(self._documents, create=RegistrySide.MAGIC)

    async def read(self, question: Callable[[Members], T], default: T) -> T:
        """Return the answer of the members in the registry; `default` if there is no registry."""

        def read_members() -> T:
            if self._documents.stamp(DOCUMENT) is None:
                return default
            with open_registry_of(self._documents) as registry:
                return question(Members(registry))

        return await asyncio.to_thread(read_members)

    async def suggest(self, text: str) -> list[SessionPlayer]:
        """Return players whose names and numbers contain every word of a text, members first."""
        if not text.strip():
            return []
        nobody: list[Member] = []
        members = await self.read(lambda registered: registered.find(text, most=MOST_SUGGESTED), nobody)
        words = fold(text).split()
        recent = [
            player
            for player in await self._recent_players()
            if all(word in fold(f"{player.name} {player.number}") for word in words)
        ]
        return _distinct([*map(_player, members), *recent])[:MOST_SUGGESTED]

    async def complete(self, players: Iterable[SessionPlayer]) -> list[SessionPlayer]:
        """Return players with missing names and numbers filled in; a number only if one known player has the name."""
        players = list(players)
        if all(player.name and player.number for player in players):
            return players
        recent = await self._recent_players()

        def complete_with(members: Members) -> list[SessionPlayer]:
            return [
                _complete(player, members.by_number(player.number), members.by_name(player.name), recent)
                if bool(player.name) != bool(player.number)
                else player
                for player in players
            ]

        from_recent = [_complete(player, None, [], recent) for player in players]
        return await self.read(complete_with, from_recent)

    async def _recent_players(self) -> list[SessionPlayer]:
        current: dict[tuple[str, int], list[SessionPlayer]] = {}
        for line in await self._site.live.sessions(most=SESSIONS_REMEMBERED):
            key = line.stream, line.facts
            if key in self._recent:
                current[key] = self._recent[key]
            else:
                current[key] = await self._site.live.read(line.session, _players)
        self._recent = current
        return _distinct(player for players in current.values() for player in players)


def _players(projection: SessionProjection) -> list[SessionPlayer]:
    seating = projection.view.session.seating
    seated = (chair.player for chair in seating.chairs.values() if not chair.number)
    return [player for player in (*seating.players.values(), *seated) if player.name]


def _player(member: Member) -> SessionPlayer:
    return SessionPlayer(member.number, member.first_name, member.last_name)


def _distinct(players: Iterable[SessionPlayer]) -> list[SessionPlayer]:
    """Return players once each; one without a number is left out where a namesake has one."""
    by_name: dict[str, dict[str, SessionPlayer]] = {}
    for player in players:
        by_name.setdefault(fold(player.name), {}).setdefault(player.number, player)
    return [
        player
        for namesakes in by_name.values()
        for number, player in namesakes.items()
        if number or len(namesakes) == 1
    ]


def _complete(
    player: SessionPlayer, numbered: Member | None, named: list[Member], recent: list[SessionPlayer]
) -> SessionPlayer:
    if player.number and not player.name:
        match = (
            _player(numbered)
            if numbered
            else next((other for other in recent if other.number == player.number), None)
        )
        return replace(match, country="") if match else player
    if player.name and not player.number:
        namesakes = [*map(_player, named)] or [
            other for other in recent if fold(other.name) == fold(player.name)
        ]
        if len(namesakes) == 1:
            return replace(player, number=namesakes[0].number)
    return player
