"""What each request does: a machine without a socket. Requests in, commands for the writer, responses out.

An `Exchange` is one request under way. Whoever drives it lets one exchange after the other look at the mirror, and has
each `Change` decided and made durable.

    request = read_request(line)
    exchange = dispatcher.begin(request, line, caller)      what was sent is read and judged
    while exchange.response is None:
        match exchange.wants:
            case Next.LOOK: exchange.go_on()                while nobody else looks
            case Next.APART: exchange.go_on()               wherever nobody waits for it
            case Change(): exchange.go_on(its outcome)      while nobody else looks

One client has one request under way; the next one is answered Busy until that is done.
"""

import hashlib
import logging
import threading
from collections.abc import Callable

from overtrick.connector import handlers
from overtrick.connector.handlers import HANDLERS
from overtrick.connector.inbound import Misfit
from overtrick.connector.mirror import Mirror
from overtrick.connector.task import Caller, Change, Ground, Next, Outcome, Steps, Task
from overtrick.connector.wire.envelope import Request, Response, parse_request, refusal
from overtrick.connector.wire.model import Unreadable
from overtrick.connector.wire.numbers import Command, ErrorType
from overtrick.connector.wire.reading import Malformed
from overtrick.errors import BadInput, OvertrickError

log = logging.getLogger(__name__)

LONGEST_CLUB = 64


class Exchange:
    """One request under way."""

    def __init__(self, command: int, session: str, steps: Steps, done: Callable[[], None]) -> None:
        self.wants: Change | Next | None = None
        """What it needs to go on; None when it is done."""
        self.response: Response | None = None
        self.command = command
        self._session = session
        self._steps = steps
        self._done = done
        self.go_on()

    def go_on(self, outcome: Outcome | None = None) -> None:
        """Take the next step; where a change was wanted, it was decided so, and is durable."""
        self._run(self._steps.send, outcome)

    def fail(self, error: Exception) -> None:
        """The change could not be made."""
        self._run(self._steps.throw, error)

    def abandon(self) -> None:
        """Nobody waits for the response any more."""
        if self.response is None:
            self._steps.close()
            self._done()

    def _run(self, step: Callable[..., Change | Next], given: object) -> None:
        self.wants = None
        try:
            self.wants = step(given)
        except StopIteration as stop:
            self._finish(stop.value)
        except Malformed as error:
            self._refuse(error.error, error.sentence)
        except Misfit as error:
            self._refuse(error.error, error.sentence)
        except Unreadable as error:
            self._refuse(ErrorType.Validation, str(error))
        except BadInput as error:
            self._refuse(ErrorType.Validation, str(error))
        except OvertrickError as error:
            log.error("request %s failed: %s", self.command, error)
            self._refuse(ErrorType.Exception, str(error))
        except Exception:
            log.exception("request %s failed", self.command)
            self._refuse(ErrorType.Exception, "The request could not be done; the log says more.")

    def _refuse(self, error: ErrorType, sentence: str) -> None:
        self._finish(refusal(self.command, error, sentence, self._session))

    def _finish(self, response: Response) -> None:
        self.response = response
        self._done()


def read_request(line: bytes) -> Request | Response:
    """A request, or the answer to what is none."""
    try:
        return parse_request(line)
    except Malformed as error:
        return refusal(error.number, error.error, error.sentence, error.session)


class Dispatcher:
    """Answers the requests of every client, one at a time each."""

    def __init__(self, mirror: Mirror, ground: Ground) -> None:
        self.mirror = mirror
        self.ground = ground
        self._busy: set[str] = set()
        self._door = threading.Lock()
        """Held while somebody is let in."""

    def echo(self, request: Request, caller: Caller) -> Response | None:
        """The answer of a Ping, which needs no look at anything; None for every other request."""
        if request.command is not Command.Ping:
            return None
        actor = self._actor(request, caller)
        if isinstance(actor, Response):
            return actor
        return _busy(request) if actor in self._busy else handlers.echo(request)

    def begin(self, request: Request, line: bytes, caller: Caller) -> Exchange:
        """Take up a request, as far as it goes without a look; `line` is what it was read from. For any thread."""
        actor = self._actor(request, caller)
        if isinstance(actor, Response):
            return _answered(actor)
        with self._door:
            if actor in self._busy:
                return _answered(_busy(request))
            self._busy.add(actor)
        digest = hashlib.sha256(line).hexdigest()[:32]
        task = Task(request, caller, actor, digest, self.mirror, self.ground)
        steps = HANDLERS[request.command](task)
        return Exchange(request.command, request.session, steps, lambda: self._busy.discard(actor))

    def _actor(self, request: Request, caller: Caller) -> str | Response:
        """Who asks, as the journal keeps it; a club that has set a licence key shows it, or is refused."""
        club = request.club
        if len(club) > LONGEST_CLUB or not (club.isprintable() or not club):
            return _refused(request, f"ClubId has at most {LONGEST_CLUB} printable characters.")
        if caller.is_local:
            return "scoring program"
        if self.ground.licences.get(club, request.licence) != request.licence:
            return _refused(request, f"The LicenceKey is not that of club {club}.")
        return f"scoring program of {club}" if club else "scoring program over HTTP"


def _refused(request: Request, sentence: str, error: ErrorType = ErrorType.Validation) -> Response:
    return refusal(request.command, error, sentence, request.session)


def _busy(request: Request) -> Response:
    return _refused(request, "An earlier request is still being done; please try again.", ErrorType.Busy)


def _answered(response: Response) -> Exchange:
    def steps() -> Steps:
        return response
        yield

    return Exchange(response.command, response.session, steps(), lambda: None)
