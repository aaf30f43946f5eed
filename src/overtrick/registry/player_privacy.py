"""The privacy of players: who may see their pages, and whose names are not published.

A small document beside the journal: a file of its folder or a row of its database, so every node shows the same.
"""

from dataclasses import dataclass, replace
from typing import Any

from overtrick.errors import BadInput, OvertrickError
from overtrick.registry.json_document import JsonDocument

MOST_HIDDEN = 10_000


class PlayerPrivacyDamaged(OvertrickError):
    """The document about the players' privacy cannot be read or written; it was not changed."""

    code = "player-privacy-damaged"
    exit_status = 2


@dataclass(frozen=True, slots=True)
class PlayerPrivacy:
    """The club's choice about players' pages, and the keys of players whose names are not published."""

    are_pages_public: bool = False
    hidden: frozenset[str] = frozenset()


class PlayerPrivacyStore(JsonDocument[PlayerPrivacy]):
    """The document about the players' privacy."""

    name = "players.json"
    title = "The players' choices"
    damaged = PlayerPrivacyDamaged

    def parse(self, values: dict[str, Any]) -> PlayerPrivacy:
        """Return the choices in a document."""
        if not values:
            return PlayerPrivacy()
        return PlayerPrivacy(bool(values["are_pages_public"]), frozenset(map(str, values["hidden"])))

    def dump(self, value: PlayerPrivacy) -> dict[str, Any]:
        """Return the choices as a document."""
        return {"are_pages_public": value.are_pages_public, "hidden": sorted(value.hidden)}

    def privacy(self) -> PlayerPrivacy:
        """Return the choices; the default ones if none were saved. Read again if another process has changed them.

        Raise PlayerPrivacyDamaged if the document cannot be read, because a name must not be published by mistake.
        """
        return self.value()

    def set_pages_public(self, public: bool) -> None:
        """Show players' pages to everyone who may see results, or only to the players and the director."""
        self.change(lambda current: replace(current, are_pages_public=public))

    def set_hidden(self, player: str, hidden: bool) -> None:
        """Hide the name of a player on public pages, or show it again."""
        if not player.startswith(("#", "~")) or len(player) > 200:
            raise BadInput("There is no such player. Nothing was changed.")

        def change(current: PlayerPrivacy) -> PlayerPrivacy:
            keys = current.hidden | {player} if hidden else current.hidden - {player}
            if len(keys) > MOST_HIDDEN:
                raise BadInput(f"At most {MOST_HIDDEN} names can be hidden. Nothing was changed.")
            return replace(current, hidden=keys)

        self.change(change)
