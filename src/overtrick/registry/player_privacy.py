"""The privacy of players: who may see their pages, and whose names are not published.

A small document beside the journal: a file of its folder or a row of its database, so every node shows the same.
"""

import json
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from overtrick.errors import BadInput, OvertrickError
from overtrick.store.documents import Documents

DOCUMENT = "players.json"
MOST_HIDDEN = 10_000


class PlayerPrivacyDamaged(OvertrickError):
    """The document about the players' privacy cannot be read or written; it was not changed."""

    code = "player-privacy-damaged"


@dataclass(frozen=True, slots=True)
class PlayerPrivacy:
    """The club's choice about players' pages, and the keys of players whose names are not published."""

    are_pages_public: bool = False
    hidden: frozenset[str] = frozenset()


class PlayerPrivacyStore:
    """The document about the players' privacy. Thread-safe; a change is durable when its method returns."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        self._seen: Hashable | None = None
        self._privacy = PlayerPrivacy()

    def privacy(self) -> PlayerPrivacy:
        """Return the choices; the default ones if none were saved. Read again if another process has changed them.

        Raise PlayerPrivacyDamaged if the document cannot be read, because a name must not be published by mistake.
        """
        try:
            stamp = self._documents.stamp(DOCUMENT)
            if stamp != self._seen:
                self._privacy = PlayerPrivacy() if stamp is None else _parse(self._documents.read(DOCUMENT))
                self._seen = stamp
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise PlayerPrivacyDamaged(
                f"The players' choices cannot be read ({error}); they were not changed.",
                where=self._documents.place(DOCUMENT),
            ) from error
        return self._privacy

    def set_pages_public(self, public: bool) -> None:
        """Show players' pages to everyone who may see results, or only to the players and the director."""
        self._save(lambda now: replace(now, are_pages_public=public))

    def set_hidden(self, player: str, hidden: bool) -> None:
        """Hide the name of a player on public pages, or show it again."""
        if not player.startswith(("#", "~")) or len(player) > 200:
            raise BadInput("There is no such player. Nothing was changed.")

        def change(now: PlayerPrivacy) -> PlayerPrivacy:
            keys = now.hidden | {player} if hidden else now.hidden - {player}
            if len(keys) > MOST_HIDDEN:
                raise BadInput(f"At most {MOST_HIDDEN} names can be hidden. Nothing was changed.")
            return replace(now, hidden=keys)

        self._save(change)

    def _save(self, change: Callable[[PlayerPrivacy], PlayerPrivacy]) -> None:
        with self._lock:
            privacy = change(self.privacy())
            values = {
                "format": 1,
                "are_pages_public": privacy.are_pages_public,
                "hidden": sorted(privacy.hidden),
            }
            text = json.dumps(values, ensure_ascii=False, indent=1)
            try:
                is_written = self._documents.write(DOCUMENT, text.encode(), self._seen)
            except OSError as error:
                raise PlayerPrivacyDamaged(
                    f"The players' choices cannot be written ({error.strerror or error}); they were not changed.",
                    where=self._documents.place(DOCUMENT),
                ) from error
            if not is_written:
                raise BadInput("Another desk changed the players' choices at the same time. Try again.")


def _parse(content: bytes) -> PlayerPrivacy:
    values: dict[str, Any] = json.loads(content)
    if values["format"] != 1:
        raise ValueError("it was written by a newer Overtrick")
    return PlayerPrivacy(bool(values["are_pages_public"]), frozenset(map(str, values["hidden"])))
