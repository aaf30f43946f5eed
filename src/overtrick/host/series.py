"""Series of sessions and lists of players, read from the files that describe them and from journals."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from overtrick.errors import BadInput
from overtrick.files import read_input
from overtrick.host.lookup import journal_in
from overtrick.host.reports import (
    SQLITE,
    ReportRequest,
    ReportWithRemarks,
    SessionBinned,
    read_report,
    report_of,
)
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.registry import ImportOutcome, Ledger, MasterPointAward, open_registry
from overtrick.scoring import Method
from overtrick.scoring.master_points import PlayerAward, Scheme
from overtrick.scoring.more_rankings import (
    Filter,
    FurtherRankings,
    HandicapRule,
    Strata,
    StrataBy,
    further_rankings,
    with_enough_boards,
)
from overtrick.scoring.player_list import PlayerDetails, PlayerList, read_player_list
from overtrick.scoring.report import Report
from overtrick.scoring.rules import RULE_SETS, ScoringRules, parse_rules, rule_set
from overtrick.scoring.series import Series, SeriesSession, combine, parse_series
from overtrick.scoring.series_report import SeriesReport
from overtrick.store.address import is_address


def read_text(path: Path) -> str:
    """Return the text of a file; raise BadInput if it cannot be read or is not UTF-8."""
    try:
        return read_input(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("It is not UTF-8 text.", where=str(path)) from None


def read_rules(name_or_file: str, folder: Path = Path()) -> ScoringRules:
    """Return a rule set by its name, or from a file."""
    if name_or_file.strip().upper() in RULE_SETS or not Path(name_or_file).suffix:
        return rule_set(name_or_file)
    return parse_rules(read_text(folder / name_or_file))


def read_players(place: str, year: int, folder: Path = Path()) -> PlayerList:
    """Return the list of players in a CSV file or in a registry.

    From a registry, a player's `holding` is the total of all points up to the year before `year`.
    """
    path = folder / place if not is_address(place) else None
    if path is None or read_input(path).startswith(SQLITE):
        with open_registry(place if path is None else path) as registry:
            return PlayerList(
                PlayerDetails(
                    totals.member_code,
                    f"{totals.first_name} {totals.last_name}".strip(),
                    holding=Decimal((totals.emp or 0) + (totals.rp or 0) + (totals.smp or 0)),
                    club="",
                    born=totals.birth.year if totals.birth else None,
                    sex=totals.sex,
                )
                for totals in Ledger(registry).totals(year - 1)
            )
    try:
        return read_player_list(read_text(path))
    except BadInput as error:
        raise BadInput(error.sentence, where=error.where or str(path)) from None


@dataclass(frozen=True, slots=True)
class FurtherRequest:
    """The further rankings that a command asks for, as the texts of its options; None means as in the session."""

    players: str | None = None
    handicap: str | None = None
    strata: str | None = None
    strata_by: str | None = None
    only: tuple[str, ...] = ()
    minimum_boards: int = 0

    def rankings(self, own: FurtherRankings) -> FurtherRankings:
        """Return the rankings that are wanted, in place of a session's or series' own."""
        strata_by = StrataBy(self.strata_by) if self.strata_by else own.strata.by
        strata = (
            Strata.parse(self.strata, strata_by)
            if self.strata is not None
            else Strata(own.strata.strata, strata_by)
        )
        return FurtherRankings(
            HandicapRule(self.handicap) if self.handicap else own.handicap,
            strata,
            tuple(Filter.parse(text) for text in self.only) or own.filters,
        )


def read_series(
    path: Path,
    data: str | None,
    today: date,
    request: FurtherRequest | None = None,
    *,
    raw: bool = False,
) -> tuple[SeriesReport, dict[str, Report]]:
    """Return the rankings of the series that a file describes, and the report of each session.

    Files are looked up beside the description; sessions without a file are in the journal `data`. With `raw`, handicaps
    do not count.
    """
    series = parse_series(read_text(path))
    further = (request or FurtherRequest()).rankings(series.further)
    series = replace(series, further=replace(further, handicap=HandicapRule.NONE) if raw else further)
    folder = path.parent
    reports: dict[str, Report] = {}
    hidden: set[str] = set()

    def add(name: str, read: ReportWithRemarks) -> None:
        reports[name] = read.report
        hidden.update(read.hidden)

    with ExitStack() as stack:
        runtime: Runtime | None = None
        for session in series.sessions:
            report_request = _request(series, session, folder)
            if session.file:
                with suppress(SessionBinned):
                    add(session.name, read_report(folder / session.file, report_request, today))
                continue
            if runtime is None:
                if data is None:
                    raise BadInput(
                        f"Name the journal of session {session.name!r} with --journal.", where=str(path)
                    )
                journal: str | Path = data
                if not is_address(data) and Path(data).is_dir():
                    journal = journal_in(Path(data))
                runtime = stack.enter_context(open_runtime(journal, create=False))
            with suppress(SessionBinned):  # a deleted session does not count
                add(session.name, report_of(runtime, report_request))
    players = PlayerList()
    for report in reports.values():
        players = players.joined(report.player_list or PlayerList())
    if series.players:
        players = players.joined(read_players(series.players, _year(reports, today), folder))
    return SeriesReport(combine(series, reports, players, hidden), players, series.further), reports


def _request(series: Series, session: SeriesSession, folder: Path) -> ReportRequest:
    rules = read_rules(series.rules, folder) if series.rules else None
    return ReportRequest(
        Method.of(series.method) if series.method else (rules.method if rules else None),
        rules,
        session=session.session or None,
        group=session.group,
        names_everyone=True,
    )


def _year(reports: Mapping[str, Report], today: date) -> int:
    return max(((report.played_on or today).year for report in reports.values()), default=today.year)


def with_player_numbers(awards: Iterable[PlayerAward], players: PlayerList) -> list[PlayerAward]:
    """Return awards with the numbers of players that a list has and the results do not."""
    with_numbers: list[PlayerAward] = []
    for award in awards:
        details = players.find(award.player)
        number = award.player.number or (details.number if details else "")
        with_numbers.append(replace(award, player=replace(award.player, number=number)))
    return with_numbers


def enter_awards(
    registry: str,
    scheme: Scheme,
    event: str,
    division: str,
    day: date,
    awards: list[PlayerAward],
    *,
    replaces: bool = False,
) -> ImportOutcome:
    """Enter the awards of an event in the ledger of a registry; players are found by their numbers."""
    with open_registry(registry) as opened:
        rows = (
            MasterPointAward(
                *(None, None, None, award.player.number, day.year, day, None, event, division, award.rank),
                *(award.points if scheme.kind == kind else 0 for kind in ("emp", "rp", "smp")),
            )
            for award in awards
        )
        return Ledger(opened).put_event(event, division, day, rows, replaces=replaces)


def with_further_rankings(report: Report, request: FurtherRequest) -> Report:
    """Return a report with the further rankings that are asked for, and without ranks for those with few boards."""
    rules = report.scored.rules
    if request.minimum_boards:
        rankings = with_enough_boards(report.scored.rankings, request.minimum_boards, rules)
        report = replace(report, scored=replace(report.scored, rankings=rankings))
    chosen = request.rankings(FurtherRankings())
    if chosen == FurtherRankings():
        return report
    year = (report.played_on or date.today()).year
    players = report.player_list or PlayerList()
    if request.players is not None:
        players = players.joined(read_players(request.players, year))
    if not players:
        raise BadInput("Handicaps, strata and filters need a list of players. Name it with --players.")
    further = further_rankings(
        report.scored.rankings, report.players, players, chosen, rules=rules, year=year
    )
    return replace(report, further=further)
