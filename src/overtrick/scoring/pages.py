"""Static results pages of a report, for a web host, for opening from disk, or for printing. No file access.

Returns the text of each page by file name; the caller writes the files. The pages load nothing from other sites, and
all text is escaped.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from overtrick.bridge import Seat, Side, Strain, Suit, Weighted, dealer, vulnerability
from overtrick.scoring.card_summary import role_results
from overtrick.scoring.compare import Comparison
from overtrick.scoring.leads import FiguresOf, lead_costs, lines_to_solve, opening_leads, table_plays
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.par_text import par_score
from overtrick.scoring.plots import BoardBar, FieldBar, card_plot, field_plot, lead_plot
from overtrick.scoring.points import UNIT, percentage, short_figure, to_points
from overtrick.scoring.published import Published
from overtrick.scoring.ranking import Ranking, Standing
from overtrick.scoring.report import (
    CardLine,
    Frequency,
    Report,
    ReportRuling,
    board_page,
    card_page,
    field_title,
    frequencies,
    result_columns,
)
from overtrick.scoring.session import ScoredTraveller, SideScore
from overtrick.scoring.summary import LeadChart, SlamCount, summarise
from overtrick.words import counted

SIDE_TITLES = {Side.NS: "North-South", Side.EW: "East-West"}

CONTRACTS_PER_SCORE = 4
"""The maximum number of contracts listed beside one score in the chart of the field."""


@dataclass(frozen=True, slots=True)
class SiteLinks:
    """The addresses in the header of every page, relative to the page or absolute."""

    home: str = "index.html"
    """The target of the link on the club's name: the list of all results, if there is one."""
    logo: str = ""
    """The image of the club's logo; empty if there is none."""
    viewer: str = ""
    """The address of the hand viewer's script; empty to embed the script, because browsers load no module from disk."""
    files: Collection[str] = ()
    """The files with the same results for other programs."""


def write_pages(report: Report, links: SiteLinks | None = None) -> dict[str, str]:
    """Return the files by name: style.css, index.html, matrix.html and a page for each board and contestant.

    There is a hands.html if the report has deals.
    """
    return {name: write() for name, write in page_writers(report, links).items()}


def page_writers(
    report: Report, links: SiteLinks | None = None, figures: FiguresOf | None = None
) -> dict[str, Callable[[], str]]:
    """Return a function for each page of `write_pages` that renders it on demand, because few pages are ever read.

    `figures` looks up the double dummy figures of leads and plays, some of which may not be computed yet; without it,
    the pages show the report's own figures.
    """
    return _Site(report, links or SiteLinks(), figures).writers()


def hand_viewer() -> str:
    """Return the script of the hand viewer."""
    return files("overtrick.scoring").joinpath("static", "hand_viewer.js").read_text(encoding="utf-8")


def comparison_page(published: Published, comparison: Comparison) -> str:
    """Return a page with every published figure beside ours; it needs no other file."""
    return (
        _environment()
        .get_template("compare.html")
        .render(
            published=published,
            comparison=comparison,
            style=Markup(style_sheet()),
            rules=comparison.variant.rules_text,
            unexplained=sum(not figure.explanation for figure in comparison.differences),
        )
    )


def template(name: str) -> Template:
    """Return a template of the results pages."""
    return _environment().get_template(name)


@cache
def style_sheet() -> str:
    """Return the style sheet of the results pages: the rules that the web's pages have too, then their own."""
    folder = files("overtrick.scoring").joinpath("static")
    shared, dark = (folder.joinpath(name).read_text(encoding="utf-8") for name in ("base.css", "dark.css"))
    own_rules = template("style.css").render()
    return f"{shared}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{own_rules}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("overtrick.scoring"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percentage"] = _percentage_text
    environment.filters["suits"] = suits
    environment.filters["symbols"] = symbols
    environment.filters["json"] = partial(json.dumps, separators=(",", ":"))
    environment.globals.update(Side=Side, Seat=Seat, Strain=Strain, Suit=Suit, dealer=dealer)
    return environment


class _Site:
    """The pages of a report and the links between them; templates see it as `site`."""

    def __init__(self, report: Report, links: SiteLinks, figures: FiguresOf | None = None) -> None:
        self.report = report
        self.home, self.logo, self.viewer = links.home, links.logo, links.viewer
        self.files = links.files
        self._figures: FiguresOf = figures or (lambda _: report.figures)
        self._has_late_figures = figures is not None
        self.method = report.scored.method
        self.several_fields = len({traveller.field for traveller in report.scored.travellers}) > 1
        self.has_top = self.method.has_top
        self.cards = report.score_cards()
        # During play there may be a ranking before any score card exists.
        ranked = (standing.contestant for _, standing in report.standings())
        self.has_names = any(report.name(contestant) for contestant in (*self.cards, *ranked))
        self.has_partners = any(
            scored_line.line.south
            for traveller in report.scored.travellers
            for scored_line in traveller.lines
        )

    def writers(self) -> dict[str, Callable[[], str]]:
        """Return the function that renders each page, by file name."""
        report = self.report
        pages: dict[str, Callable[[], str]] = {
            "style.css": style_sheet,
            "index.html": partial(self._page, "index.html", here="index.html"),
            "summary.html": self._summary,
            "matrix.html": self._matrix,
        }
        if report.hands:
            pages["hands.html"] = partial(self._page, "hands.html", here="hands.html")
        for index, traveller in enumerate(report.scored.travellers):
            pages[self.board_page(traveller)] = partial(self._board, index)
        standings = {standing.contestant: standing for _, standing in report.standings()}
        for contestant in self.cards:
            pages[self.card_page(contestant)] = partial(self._card, contestant, standings.get(contestant))
        return pages

    def rankings(self) -> list[tuple[str, Ranking]]:
        """Return the rankings of the session with an empty title, then the further ones with theirs."""
        further = [(named.title, named.ranking) for named in self.report.further]
        return [*(("", ranking) for ranking in self.report.scored.rankings), *further]

    def _summary(self) -> str:
        summary = summarise(self.report)
        charts = [(chart, self._lead_chart(chart)) for chart in summary.leads]
        return self._page("summary.html", here="summary.html", summary=summary, charts=charts)

    def _matrix(self) -> str:
        return self._page("matrix.html", here="matrix.html", boards=self._boards(), cells=self._cells())

    def _board(self, index: int) -> str:
        travellers = self.report.scored.travellers
        traveller = travellers[index]
        lines_of_play = lines_to_solve(self.report, traveller)
        figures = self._figures(lines_of_play) if lines_of_play else {}
        plays = table_plays(self.report, traveller, figures)
        return self._page(
            "board.html",
            here=self.board_page(traveller),
            traveller=traveller,
            frequencies=frequencies(traveller),
            plot=self._field_chart(traveller),
            costs=lead_costs(self.report, traveller, figures),
            leads=opening_leads(self.report, traveller, figures),
            plays=plays,
            is_pending=self._has_late_figures and any(line not in figures for line in lines_of_play),
            script=Markup(hand_viewer()) if not self.viewer and any(play.data for play in plays) else "",
            before=travellers[index - 1] if index else None,
            after=travellers[index + 1] if index + 1 < len(travellers) else None,
        )

    def _card(self, contestant: Contestant, standing: Standing | None) -> str:
        card = self.cards[contestant]
        return self._page(
            "card.html",
            here=self.card_page(contestant),
            contestant=contestant,
            card=card,
            standing=standing,
            plot=self._card_chart(contestant, card),
            roles=role_results(self.report, contestant, card),
            rounds=card_rounds(card),
        )

    def _page(self, template: str, **variables: object) -> str:
        return _environment().get_template(template).render(site=self, report=self.report, **variables)

    def board_page(self, traveller: ScoredTraveller) -> str:
        """Return the file name of a board's page."""
        return board_page(traveller.field, traveller.board)

    card_page = staticmethod(card_page)

    def page_of_line(self, line: Line) -> str:
        """Return the file name of the page of a line's board."""
        return self.board_page(ScoredTraveller(line.field, line.board, ()))

    def board_title(self, traveller: ScoredTraveller) -> str:
        """Return the title of a board: its number, and its field if there are several."""
        return f"Board {traveller.board}" + (
            f" · {self.field_title(traveller.field)}" if self.several_fields else ""
        )

    def field_title(self, field: str) -> str:
        """Return the title of a field."""
        return field_title(field)

    def vulnerable(self, board: int) -> str:
        """Return the vulnerability of a board: None, NS, EW or All."""
        return vulnerability(board).value

    @property
    def board_point(self) -> str:
        """Return the unit of a board's score: IMP for victory points, BAM for Patton."""
        if self.method.scale is not None:
            return "IMP"
        return "BAM" if self.method is Method.PATTON else self.method.point

    @property
    def kind(self) -> str:
        """Return the word for a contestant: Pair, Team or Player."""
        if self.method.is_teams:
            return "Team"
        return "Player" if self.has_partners else "Pair"

    def bonus(self, strain: Strain, tricks: int) -> str:
        """Return the CSS class of the highest contract that a number of tricks makes: slam, game, or empty."""
        if tricks >= 12:
            return "slam"
        needed = {Strain.NOTRUMP: 9, Strain.SPADES: 10, Strain.HEARTS: 10}.get(strain, 11)
        return "game" if tricks >= needed else ""

    def result_columns(self, line: Line, side: Side = Side.NS) -> object:
        """Return the columns of a traveller for a line."""
        return result_columns(line, side)

    def rulings_of_board(self, traveller: ScoredTraveller) -> list[ReportRuling]:
        """Return the rulings on the results of a board, and on the board itself."""
        return [
            ruling
            for ruling in self.report.rulings
            if ruling.board == traveller.board
            and (ruling.line is None or ruling.line.traveller == (traveller.field, traveller.board))
        ]

    def adjustment(self, score: SideScore | None, units: int) -> str:
        """Return a penalty or bonus for a board, with its sign."""
        return f"{units / (score.units_per_point if score else UNIT):+g}"

    def points(self, score: SideScore | None) -> str:
        """Return the points of a side; a dash if it has none."""
        return "–" if score is None else score.points_text(self.report.decimals)

    def signed(self, points: float) -> str:
        """Return points with their sign."""
        return short_figure(f"{points:+.{self.report.decimals}f}")

    def imps(self, units: int) -> str:
        """Return the IMPs of a match as text."""
        return f"{to_points(units):g}"

    def _boards(self) -> list[ScoredTraveller]:
        return list(self.report.scored.travellers)

    def _cells(self) -> dict[tuple[Contestant, str, int], SideScore | None]:
        return {
            (contestant, line.line.field, line.line.board): line.score
            for contestant, card in self.cards.items()
            for line in card
        }

    def shade(self, score: SideScore | None) -> str:
        """Return the CSS class of a matrix cell: none, or q0 to q4 by fifths of the top, or of -10 to +10 points."""
        if score is None:
            return "none"
        percentage_or_points = score.percentage
        if percentage_or_points is None:
            percentage_or_points = 50 + 5 * score.points
        return f"q{min(4, max(0, int(percentage_or_points // 20)))}"

    def slam_words(self, slam: SlamCount) -> str:
        """Return at how many tables a slam was bid and made."""
        if not slam.bid:
            return "Nobody bid it"
        return f"Bid at {counted(slam.bid, 'table')}, made at {slam.made}"

    def names(self, contestants: Iterable[Contestant], separator: str = " – ") -> str:
        """Return the names of contestants, or their numbers where names are unknown."""
        return separator.join(self.report.name(contestant) or str(contestant) for contestant in contestants)

    def ranking_title(self, ranking: Ranking) -> str:
        """Return the title of a ranking of the session: its field and side; empty if there is only one."""
        field = self.field_title(ranking.field) if self.several_fields and ranking.field else ""
        side = SIDE_TITLES[ranking.side] if ranking.side else ""
        return " · ".join(part for part in (field, side) if part)

    def worth(self, score: SideScore) -> str:
        """Return the points of a side: per cent of the top, or points with their sign and unit."""
        percentage_of_top = score.percentage
        return (
            f"{percentage_of_top:.0f} %"
            if percentage_of_top is not None
            else f"{self.signed(score.points)} {self.board_point}"
        )

    def _lead_chart(self, chart: LeadChart) -> Markup:
        lines = [
            (f"{contestant.section}{contestant.number}", values)
            for contestant, values in chart.values.items()
        ]
        title = " · ".join(
            part for part in (self.ranking_title(chart.ranking), "The lead, round by round") if part
        )
        return lead_plot(chart.rounds, lines, "%" if self.has_top else "", title)

    def _field_chart(self, traveller: ScoredTraveller) -> Markup:
        bars = []
        for frequency in frequencies(traveller):
            percentage_of_top = frequency.ns.percentage
            worth = (
                f"{percentage_of_top:.0f}%"
                if percentage_of_top is not None
                else self.signed(frequency.ns.points)
            )
            cards = f" ({frequency.version})" if frequency.version else ""
            contracts = field_contracts(traveller, frequency)
            bars.append(
                FieldBar(
                    frequency.ns_score, float(frequency.times), f"· {worth}{cards}", ", ".join(contracts)
                )
            )
        record = self.report.hands.get((traveller.field, traveller.board))
        is_one_deal = not any(scored.line.version for scored in traveller.lines)
        par = par_score(record.par) if record is not None and is_one_deal else None
        title = f"{self.board_title(traveller)}: how often each North-South score was made, and in which contracts"
        return field_plot(bars, par, title)

    def _card_chart(self, contestant: Contestant, card: tuple[CardLine, ...]) -> Markup:
        bars = []
        for line in card:
            score = line.score
            value = (score.percentage if self.has_top else score.points) if score is not None else None
            group = f"R{line.line.round}" if line.line.round else ""
            bars.append(BoardBar(str(line.line.board), value, line.running, group))
        middle, unit = (50, "%") if self.has_top else (0, "")
        # A running sum of IMPs would exceed the scale of single boards, so the line shows the average.
        if not self.has_top:
            counted_indexes = [index for index, bar in enumerate(bars) if bar.value is not None]
            total = 0.0
            for number, index in enumerate(counted_indexes, 1):
                total += bars[index].value or 0.0
                bars[index] = replace(bars[index], running=total / number)
        return card_plot(bars, middle, unit, f"{contestant}: each board, and the average so far as a line")


@dataclass(frozen=True, slots=True)
class CardRound:
    """The boards of a score card against the same opponents in one round."""

    round: int
    lines: tuple[CardLine, ...]

    @property
    def opponents(self) -> tuple[Contestant, ...]:
        """Return the opponents: two in an individual."""
        return self.lines[0].line.contestants(self.lines[0].side.opponents)

    @property
    def percentage(self) -> float | None:
        """Return the percentage of the round without adjustments; None if no board counts or there is no top."""
        scores = [line.score for line in self.lines if line.score is not None]
        return percentage(sum(score.units for score in scores), sum(score.top for score in scores))

    @property
    def points(self) -> float | None:
        """Return the points of the round without adjustments; None if no board counts."""
        scores = [line.score for line in self.lines if line.score is not None]
        return sum(score.points for score in scores) if scores else None


def card_rounds(card: Sequence[CardLine]) -> list[CardRound]:
    """Return the boards of a score card by round and opponents."""
    grouped = groupby(card, key=lambda line: (line.line.round, line.opponents))
    return [CardRound(number, tuple(lines)) for (number, _), lines in grouped]


def field_contracts(traveller: ScoredTraveller, frequency: Frequency) -> list[str]:
    """Return the contracts that made a score, the most frequent first: 4♠ N twice is "2× 4♠ N"."""
    times: dict[str, int] = {}
    for scored in traveller.lines:
        line = scored.line
        if line.version != frequency.version or line.ew_outcome is not None:
            continue
        if line.score_for(Side.NS) == frequency.ns_score and not isinstance(line.outcome, Weighted):
            columns = result_columns(line)
            contract = f"{columns.contract} {columns.declarer} {columns.result}".strip()
            times[contract] = times.get(contract, 0) + 1
    ordered = sorted(times.items(), key=lambda item: -item[1])
    texts = [f"{number}× {text}" if number > 1 else text for text, number in ordered[:CONTRACTS_PER_SCORE]]
    return [*texts, "…"] if len(ordered) > CONTRACTS_PER_SCORE else texts


def _percentage_text(score: SideScore | None) -> str:
    percentage_of_top = score.percentage if score else None
    return "–" if percentage_of_top is None else f"{percentage_of_top:.1f}"


def symbols(text: str) -> Markup:
    """Return a card or call, as it is written in a journal, with the symbol of its suit.

    >>> symbols("HT"), symbols("3NT"), symbols("1S")
    (Markup('<span class="suit h">♥</span>10'), Markup('3NT'), Markup('1<span class="suit s">♠</span>'))
    """
    card = re.fullmatch("([SHDC])(T|10|[2-9AKQJx])", text)
    if card is not None:
        return suits(Strain.parse(card[1]).symbol + card[2].replace("T", "10"))
    bid = re.fullmatch("([1-7])([SHDC])", text)
    words = {"X": "Dbl", "XX": "Rdbl", "SkipBid": "?"}
    return suits(bid[1] + Strain.parse(bid[2]).symbol if bid is not None else words.get(text, text))


def suits(text: object) -> Markup:
    """Return a text with suit symbols wrapped for colouring.

    >>> suits("4♥ <N>")
    Markup('4<span class="suit h">♥</span> &lt;N&gt;')
    """
    parts = re.split("([♠♥♦♣])", str(text))
    names = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
    return Markup("").join(
        Markup('<span class="suit {}">{}</span>').format(names[part], part) if part in names else part
        for part in parts
    )
