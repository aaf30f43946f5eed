"""The keys of a journal, in a small document beside it: a file that only its owner can read, or a database row.

Passwords and tokens are stored as hashes. Licence keys are stored in plain text, because the Data Connector's protocol
sends them with every request for comparison. The secret that signs cookies and table codes is never sent anywhere.
"""

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from overtrick.errors import BadInput, OvertrickError
from overtrick.keys.passwords import check_password, hash_password
from overtrick.store.documents import Documents, FolderDocuments

FILE = "keys.json"
FORMAT = 1
SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 200
PASS_SECONDS = 14 * 3600
"""Seconds that a director stays logged in; enough for a long day of bridge."""
PERMISSION_SECONDS = 600
"""Seconds that a permission is valid after the director's PIN was entered."""
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits, without those that look alike on a printed card."""
CODE_LENGTH = 8


class KeysDamaged(OvertrickError):
    """The keys cannot be read; they were not changed."""

    code = "keys-damaged"
    exit_status = 2


class WeakPassword(BadInput):
    """The new password is too easy to guess, too short or too long; the old one stays."""

    code = "weak-password"


class TokenScope(Enum):
    """The rights of a program's token."""

    READ = "read"
    WRITE = "write"
    """It also enters and erases results."""
    DIRECT = "direct"
    """It also does what a director does: sets up sessions, seats players, gives rulings, answers calls."""

    def includes(self, other: "TokenScope") -> bool:
        """Return whether this scope allows all that the other allows.

        >>> TokenScope.WRITE.includes(TokenScope.READ), TokenScope.READ.includes(TokenScope.WRITE)
        (True, False)
        """
        scopes = list(TokenScope)
        return scopes.index(self) >= scopes.index(other)


@dataclass(frozen=True, slots=True)
class _KeyDocument:
    """The content of the key document."""

    secret: str
    password: str = ""
    results_public: bool = True
    tokens: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Scope and digest of each token, by its name."""
    licences: Mapping[str, str] = field(default_factory=dict)
    epoch: int = 1
    """A number in every pass; raising it ends all logins."""
    ended: Mapping[str, int] = field(default_factory=dict)
    """The expiry time of each pass that was logged out, by the random part of the pass."""


class KeyRing:
    """The keys of a journal. Thread-safe; a change is durable when its method returns."""

    def __init__(self, where: Path | Documents, clock: Callable[[], float] = time.time) -> None:
        self._documents = FolderDocuments(where) if isinstance(where, Path) else where
        self._clock = clock
        self._lock = threading.Lock()
        self._last_stamp: Hashable | None = None
        self._last = _KeyDocument("")
        if self._stamp() is None:
            self._write(_KeyDocument(secrets.token_hex(32)))
        assert self._document

    # The director ---------------------------------------------------------------------------------------------

    @property
    def has_password(self) -> bool:
        """Return whether the desk asks for a password."""
        return bool(self._document.password)

    def set_password(self, password: str) -> None:
        """Set the director's password and end all logins; raise WeakPassword if it is not acceptable."""
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise WeakPassword(
                f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters; nothing was changed."
            )
        if len(set(password)) < 4:
            raise WeakPassword(
                "A password with so few different characters is easy to guess; nothing was changed."
            )
        hashed = hash_password(password)
        with self._lock:
            self._write(replace(self._document, password=hashed, epoch=self._document.epoch + 1))

    def is_password(self, password: str) -> bool:
        """Return whether this is the director's password."""
        return len(password) <= LONGEST_PASSWORD and check_password(password, self._document.password)

    def new_pass(self) -> str:
        """Return a new pass, the signed content of a login cookie."""
        expires = int(self._clock()) + PASS_SECONDS
        payload = f"{self._document.epoch}.{expires}.{secrets.token_hex(8)}"
        return f"{payload}.{self._sign('pass', payload)}"

    def is_pass(self, cookie: str) -> bool:
        """Return whether a pass is signed by us, current, and not logged out."""
        payload, _, signature = cookie.rpartition(".")
        if not _same(signature, self._sign("pass", payload)):
            return False
        epoch, expires, pass_id = payload.split(".")
        is_current = int(epoch) == self._document.epoch and int(expires) > self._clock()
        return is_current and pass_id not in self._document.ended

    def end_pass(self, cookie: str) -> None:
        """Revoke a pass; do nothing if it is not valid."""
        if not self.is_pass(cookie):
            return
        _, expires, pass_id, _ = cookie.split(".")
        now = self._clock()
        with self._lock:
            still_valid = {
                ended_id: expiry for ended_id, expiry in self._document.ended.items() if expiry > now
            }
            self._write(replace(self._document, ended={**still_valid, pass_id: int(expires)}))

    def form_token(self, cookie: str) -> str:
        """Return the CSRF token for the forms of the browser with this pass."""
        return self._sign("form", cookie)

    def is_form_token(self, cookie: str, token: str) -> bool:
        """Return whether this is the CSRF token of the browser with this pass."""
        return _same(token, self.form_token(cookie))

    # Results --------------------------------------------------------------------------------------------------

    @property
    def results_public(self) -> bool:
        """Return whether anyone may see rankings and published boards."""
        return self._document.results_public

    def set_results_public(self, public: bool) -> None:
        """Show results to anyone, or only to the director."""
        with self._lock:
            self._write(replace(self._document, results_public=public))

    def player_pass(self, player: str) -> str:
        """Return the signature in the link to a player's own page."""
        return self._sign("player", player)[:32]

    def is_player_pass(self, player: str, signature: str) -> bool:
        """Return whether this is the signature in the link to a player's own page."""
        return bool(player) and _same(signature, self.player_pass(player))

    # Tables ---------------------------------------------------------------------------------------------------

    def table_code(self, session: str, section: str, table: int) -> str:
        """Return the code on a table's card, derived from the place, so that a lost card can be printed again."""
        digest = self._digest("table", f"{session}/{section}/{table}")
        letters, size = int.from_bytes(digest), len(CODE_LETTERS)
        code = ""
        for _ in range(CODE_LENGTH):
            letters, place = divmod(letters, size)
            code += CODE_LETTERS[place]
        return code

    def is_table_code(self, session: str, section: str, table: int, code: str) -> bool:
        """Return whether this is the table's code; ignore case, spaces and hyphens."""
        typed = code.replace(" ", "").replace("-", "").upper()
        return _same(typed, self.table_code(session, section, table))

    # The director at a table ------------------------------------------------------------------------------------

    def session_pin(self, session: str) -> str:
        """Return the default PIN of a session: four digits derived from the secret, never 0000."""
        return f"{int.from_bytes(self._digest('pin', session)) % 9_999 + 1:04}"

    def new_permission(self, scope: str) -> str:
        """Return a signed permission, which a device sends with entries after the director's PIN was entered."""
        expires = str(int(self._clock()) + PERMISSION_SECONDS)
        return f"{expires}.{self._sign('permission', f'{scope}/{expires}')}"

    def is_permission(self, scope: str, permission: str) -> bool:
        """Return whether a permission is for this scope and has not expired."""
        expires, _, signature = permission.partition(".")
        is_signed = _same(signature, self._sign("permission", f"{scope}/{expires}"))
        return is_signed and int(expires) > self._clock()

    # Programs -------------------------------------------------------------------------------------------------

    def new_token(self, name: str, scope: TokenScope) -> str:
        """Return a new token for a program, which replaces one of the same name; only its hash is stored.

        Raise BadInput if the name is empty, too long or not printable.
        """
        if not 0 < len(name) <= 64 or not name.isprintable():
            raise BadInput("The name of a token has 1 to 64 printable characters; no token was made.")
        token = f"ot_{secrets.token_urlsafe(32)}"
        with self._lock:
            self._write(
                replace(self._document, tokens={**self._document.tokens, name: (scope.value, _hash(token))})
            )
        return token

    def token_scope(self, token: str) -> tuple[str, TokenScope] | None:
        """Return the name and the scope of a token; None if it is not valid."""
        digest = _hash(token)
        for name, (scope, stored_hash) in self._document.tokens.items():
            if _same(digest, stored_hash):
                return name, TokenScope(scope)
        return None

    def tokens(self) -> dict[str, TokenScope]:
        """Return the scope of each token, by its name."""
        return {name: TokenScope(scope) for name, (scope, _) in sorted(self._document.tokens.items())}

    def drop_token(self, name: str) -> bool:
        """Revoke a token; return whether there was one."""
        with self._lock:
            others = {other: entry for other, entry in self._document.tokens.items() if other != name}
            has_token = len(others) < len(self._document.tokens)
            if has_token:
                self._write(replace(self._document, tokens=others))
        return has_token

    # Clubs ----------------------------------------------------------------------------------------------------

    @property
    def licences(self) -> Mapping[str, str]:
        """Return the licence keys by club."""
        return dict(self._document.licences)

    def set_licence(self, club: str, key: str) -> None:
        """Set the key that a club's programs must send; an empty key removes it. Raise BadInput if one is invalid."""
        if not 0 < len(club) <= 64 or not club.isprintable() or len(key) > 200:
            raise BadInput(
                "A club has 1 to 64 printable characters, and a key at most 200; nothing was changed."
            )
        with self._lock:
            others = {other: licence for other, licence in self._document.licences.items() if other != club}
            self._write(replace(self._document, licences={**others, **({club: key} if key else {})}))

    # The document ---------------------------------------------------------------------------------------------

    def _digest(self, purpose: str, payload: str) -> bytes:
        message = f"{purpose}\0{payload}".encode("utf-8", "surrogatepass")
        return hmac.digest(bytes.fromhex(self._document.secret), message, hashlib.sha256)

    def _sign(self, purpose: str, payload: str) -> str:
        return self._digest(purpose, payload).hex()

    @property
    def _document(self) -> _KeyDocument:
        """Return the content of the document; read it again if another process has changed it."""
        stamp = self._stamp()
        if stamp is None:
            raise KeysDamaged("The keys have been removed.", where=self.place)
        if stamp != self._last_stamp:
            self._last, self._last_stamp = self._read(), stamp
        return self._last

    @property
    def place(self) -> str:
        """Return the location of the keys, for error messages."""
        return self._documents.place(FILE)

    def _stamp(self) -> Hashable | None:
        try:
            return self._documents.stamp(FILE)
        except OSError as error:
            raise KeysDamaged(f"The keys cannot be found ({error.strerror}).", where=self.place) from error

    def _read(self) -> _KeyDocument:
        try:
            values: dict[str, Any] = json.loads(self._documents.read(FILE))
            if values.pop("format") != FORMAT:
                raise KeysDamaged(
                    "It was written by a newer Overtrick; it was not changed.", where=self.place
                )
            values["tokens"] = {name: (scope, digest) for name, (scope, digest) in values["tokens"].items()}
            document = _KeyDocument(**values)
            bytes.fromhex(document.secret)
            return document
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise KeysDamaged(
                f"The keys cannot be read ({error}); they were not changed.", where=self.place
            ) from error

    def _write(self, document: _KeyDocument) -> None:
        values = asdict(document)
        if not document.ended:
            del values["ended"]  # older versions do not know this field
        text = json.dumps({"format": FORMAT, **values}, indent=1, ensure_ascii=False)
        stamp = self._last_stamp
        try:
            is_written = self._documents.write(FILE, text.encode(), stamp)
        except OSError as error:
            raise KeysDamaged(
                f"The keys cannot be written ({error.strerror or error}); they were not changed.",
                where=self.place,
            ) from error
        # Two nodes that start with an empty database both create keys; the second then uses those of the first.
        if not is_written and stamp is not None:
            raise KeysDamaged(
                "Another program changed the keys at the same time; nothing was changed here. Try again.",
                where=self.place,
            )


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
