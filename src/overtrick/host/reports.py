"""Reports of sessions, read from PBN, XML or JSON with results, a `.bws` file, or a journal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from overtrick.bridge.deal_files import is_lin, read_deal_file
from overtrick.errors import BadInput
from overtrick.event.filing import NOT_BINNED
from overtrick.event.state import IN_BIN
from overtrick.files import read_input, write_output
from overtrick.host.lookup import choose_session, journal_in
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.registry.club import ClubStore
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring import Method, Options, ScoringRules, Unequal, score
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.par_text import par_text
from overtrick.scoring.report import Report, ReportDeal, without_names
from overtrick.scoring.scored import Scored
from overtrick.store.folder import make_folder
from overtrick.store.sessions import SessionList
from overtrick.views import SessionView
from overtrick.views.report import prepare_report

SQLITE = b"SQLite format 3\0"
JET = b"\x00\x01\x00\x00Standard Jet DB\0"


class SessionBinned(BadInput):
    """The session is in the bin, so it has no report."""

    code = "session-in-bin"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Choices for a report: method, options, session and title."""

    method: Method | None = None
    """None means the method of the session; if it has none, matchpoints."""
    rules: ScoringRules | None = None
    """None means the rules of the session; if it has none, those of the WBF."""
    unequal: Unequal | None = None
    """The treatment of boards that were played fewer times than others. None means the rule set's."""
    single_top: bool | None = None
    """True if a top is published as n - 1, False if as 2(n - 1). None means as in the session."""
    boards_per_match: int | None = None
    winners: int | None = None
    session: str | None = None
    """The guid or the name of a session, where there are several."""
    group: int | None = None
    title: str | None = None
    pairs_vps: bool = False
    """True if pairs are ranked by the victory points of their matches."""
    names_everyone: bool = False
    """True if players are named who do not want it: a series finds its players by their names."""

    def revise(self, own: Options) -> Options:
        """Return a session's options with the choices of this request."""
        rules = self.rules or own.rules
        return replace(
            own,
            rules=replace(rules, unequal=self.unequal) if self.unequal else rules,
            single_top=own.single_top if self.single_top is None else self.single_top,
        )


@dataclass(frozen=True, slots=True)
class ReportWithRemarks:
    """Report with remarks about its source, each a sentence."""

    report: Report
    remarks: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    """The keys of the journal's players who do not want to be named."""


def read_report(file: Path | str, request: ReportRequest, today: date) -> ReportWithRemarks:
    """Return the report of a file, or of a journal if `file` is the address (str) of a database.

    The content tells the format; for PBN, a name that ends in `.pbn` is enough. Raise BadInput if the file cannot be
    read or scored.
    """
    if isinstance(file, str):
        return _from_journal(file, request)
    if file.is_dir():
        file = journal_in(file)
    try:
        with file.open("rb") as opened:
            head = opened.read(32)
    except OSError as error:
        raise BadInput(f"It cannot be read: {error.strerror}.", where=str(file)) from None
    if head.startswith(SQLITE):
        return _from_journal(file, request)
    if head.startswith(JET):
        return _from_bws(file, request, today)
    if is_lin(head) or file.suffix.lower() == ".pbn" or head.lstrip(b"\xef\xbb\xbf").startswith((b"%", b"[")):
        return _from_game_records(file, request)
    if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"<", b"{")):
        return _from_published(file, request)
    raise BadInput(
        "This is not a PBN file, LIN, USEBIO, a game of ACBL Live, a Bridgemate file (.bws) or a journal, so it cannot "
        "be scored.",
        where=str(file),
    )


def _from_game_records(file: Path, request: ReportRequest) -> ReportWithRemarks:
    from overtrick.scoring.pbn import is_team_match, read_results

    games = read_deal_file(read_input(file), name=str(file))
    method = request.method or (Method.TEAM_IMPS if is_team_match(games) else Method.MATCHPOINTS)
    winners = 1 if method.is_teams or request.pairs_vps else request.winners
    results = read_results(games, winners, is_teams=method.is_teams)
    report = Report(
        request.title or results.title or file.stem,
        _scored(results.lines, method, request),
        club=results.club,
        played_on=results.played_on,
        players=results.players,
        team_names=results.team_names,
        hands=results.hands,
    )
    return ReportWithRemarks(report, file_remarks(report, results.unread))


def file_remarks(report: Report, unread: Iterable[object]) -> tuple[str, ...]:
    """Return the remarks about a file without a movement: lines left out, and rounds in which pairs have no match."""
    rounds: dict[Contestant, set[int]] = {}
    for match in report.scored.pair_matches:
        for view in (match.home, match.away):
            rounds.setdefault(view.pair, set()).add(match.round)
    every = {number for numbers in rounds.values() for number in numbers}
    absent = [
        f"{pair} in round {number}"
        for pair in sorted(rounds, key=lambda pair: pair.place_in_list)
        for number in sorted(every - rounds[pair])
    ]
    remarks = [f"Left out: {line}" for line in unread]
    if absent:
        remarks.append(
            f"Without a result: {', '.join(absent)}. The file does not say who sat out, so there are no victory points "
            "for it."
        )
    return tuple(remarks)


def _scored(lines: Iterable[Line], method: Method, request: ReportRequest) -> Scored:
    return _checked(
        score(
            lines,
            method,
            options=request.revise(Options()),
            boards_per_match=request.boards_per_match,
            pairs_vps=request.pairs_vps,
        ),
        request,
    )


def _checked(scored: Scored, request: ReportRequest) -> Scored:
    """Return a scored session. Raise BadInput if the requested rule set has a table for another kind of method."""
    if request.rules is not None and scored.scale_problem:
        raise BadInput(f"{scored.scale_problem} Choose another rule set or method.")
    return scored


def _from_published(file: Path, request: ReportRequest) -> ReportWithRemarks:
    from overtrick.scoring.reading import read_published

    published = read_published(read_input(file))
    report = Report(
        request.title or published.title or file.stem,
        _scored(
            [published_line.line for published_line in published.lines],
            request.method or published.method,
            request,
        ),
        club=published.club,
        played_on=published.played_on,
        players=published.players,
    )
    return ReportWithRemarks(report, file_remarks(report, published.unread))


def _from_bws(file: Path, request: ReportRequest, today: date) -> ReportWithRemarks:
    from overtrick.bws.contents import open_contents
    from overtrick.bws.event_from_file import read_event

    file_event = read_event(open_contents(file), today=today)
    if file_event.rejection is not None:
        raise BadInput(f"Its movement cannot be played: {file_event.rejection}", where=str(file))
    if request.winners is not None:
        plans = tuple(
            replace(
                plan,
                sections=tuple(
                    (replace(section, winners=request.winners), tables) for section, tables in plan.sections
                ),
            )
            for plan in file_event.event.sessions
        )
        file_event = replace(file_event, event=replace(file_event.event, sessions=plans))
    state = file_event.journal_state()
    names = {plan.session: plan.name for plan in file_event.event.sessions}
    session = state.session(choose_session(names, request.session, str(file)))
    assert session is not None
    report = _of_view(SessionView.of(session), request)
    if not report.title:
        report = replace(report, title=file.stem)
    return ReportWithRemarks(report, tuple(str(problem) for problem in file_event.problems))


def _from_journal(file: Path | str, request: ReportRequest) -> ReportWithRemarks:
    with open_runtime(file, create=False) as runtime:
        return report_of(runtime, request)


def report_of(runtime: Runtime, request: ReportRequest) -> ReportWithRemarks:
    """Return the report of a session in an open journal; raise SessionBinned if it is in the bin."""
    view = runtime.view(request.session) if request.session is not None else None
    if view is None:
        names = {line.session: line.name for line in SessionList(runtime.journal).lines(stages=NOT_BINNED)}
        view = runtime.view(choose_session(names, request.session, runtime.journal.name))
    assert view is not None
    if view.session.filing.is_binned:
        raise SessionBinned(IN_BIN, where=runtime.journal.name)
    club = ClubStore(runtime.journal.documents).club()
    report = replace(_of_view(SessionView.of(view.session), request), club=club.name, club_number=club.number)
    hidden = PlayerPrivacyStore(runtime.journal.documents).privacy().hidden
    return ReportWithRemarks(
        report if request.names_everyone else without_names(report, hidden), hidden=hidden
    )


def _of_view(view: SessionView, request: ReportRequest) -> Report:
    report = prepare_report(
        view,
        group=request.group,
        method=request.method,
        revise=request.revise,
        boards_per_match=request.boards_per_match,
        title=request.title,
        pairs_vps=request.pairs_vps,
    )()
    _checked(report.scored, request)
    return report


def evaluated(report: Report) -> Report:
    """Return the report with the double dummy tricks of every deal and the figures of its leads and recorded plays."""
    from overtrick.doubledummy import PlayBatch, tables
    from overtrick.scoring.leads import lines_to_solve

    missing = [key for key, hand in report.hands.items() if hand.tricks is None]
    hands = dict(report.hands)
    if missing:
        solved = tables([hands[key].deal for key in missing])
        for key, tricks in zip(missing, solved, strict=True):
            hands[key] = ReportDeal(hands[key].deal, tricks, *par_text(key[1], tricks))
    lines = [line for traveller in report.scored.travellers for line in lines_to_solve(report, traveller)]
    figures = dict(report.figures)
    unsolved = [line for line in dict.fromkeys(lines) if line not in figures]
    if unsolved:
        with PlayBatch(unsolved) as batch:
            figures.update(zip(unsolved, batch.result(), strict=True))
    return replace(report, hands=hands, figures=figures)


def write_site(report: Report, folder: Path) -> int:
    """Write a report as web pages into a folder; return the number of files."""
    from overtrick.scoring.pages import write_pages

    return write_site_pages(write_pages(report), folder)


def write_site_pages(pages: Mapping[str, str], folder: Path) -> int:
    """Write each page into a folder, under its name; return the number of files."""
    make_folder(folder)
    for name, text in pages.items():
        write_output(folder / name, text.encode())
    return len(pages)
