"""Static results pages of a report, for a web host, for opening from disk, or for printing. No file access.

Returns the text of each page by file name; the caller writes the files. The pages load nothing from other sites, and
all text is escaped.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from overtrick.bridge import Seat, Side, Strain, Suit, dealer, vulnerability
from overtrick.scoring.compare import Comparison
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.plots import lead_plot, running_plot, spread_plot
from overtrick.scoring.points import UNIT, to_points
from overtrick.scoring.published import Published
from overtrick.scoring.ranking import Ranking, Standing
from overtrick.scoring.report import (
    CardLine,
    Report,
    ReportRuling,
    card_page,
    field_title,
    file_name,
    frequencies,
    shown,
)
from overtrick.scoring.session import ScoredTraveller, SideScore
from overtrick.scoring.summary import LeadChart, SlamCount, summarise
from overtrick.words import counted

SIDE_TITLES = {Side.NS: "North-South", Side.EW: "East-West"}


@dataclass(frozen=True, slots=True)
class SiteLinks:
    """The addresses in the header of every page, relative to the page or absolute."""

    home: str = "index.html"
    """The page that the club's name leads to: the list of all results, if there is one."""
    logo: str = ""
    """The image of the club's logo; empty if there is none."""


def write_pages(report: Report, links: SiteLinks | None = None) -> dict[str, str]:
    """Return the files by name: style.css, index.html, matrix.html and a page for each board and contestant.

    There is a hands.html if the report has deals.
    """
    return {name: write() for name, write in page_writers(report, links).items()}


def page_writers(report: Report, links: SiteLinks | None = None) -> dict[str, Callable[[], str]]:
    """Return functions that render the same pages on demand: all pages of a large event take long, and few are read."""
    return _Site(report, links or SiteLinks()).writers()


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
    own = template("style.css").render()
    return f"{shared}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{own}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("overtrick.scoring"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["points"] = _points
    environment.filters["share"] = _share
    environment.filters["suits"] = suits
    environment.globals.update(Side=Side, Seat=Seat, Strain=Strain, Suit=Suit, dealer=dealer)
    return environment


class _Site:
    """The pages of a report and the links between them; templates see it as `site`."""

    def __init__(self, report: Report, links: SiteLinks) -> None:
        self.report = report
        self.home, self.logo = links.home, links.logo
        self.method = report.scored.method
        self.several_fields = len({traveller.field for traveller in report.scored.travellers}) > 1
        self.has_top = self.method.has_top
        self.cards = report.score_cards()
        # During play there may be a ranking before there is a card.
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
        for place, traveller in enumerate(report.scored.travellers):
            pages[self.board_page(traveller)] = partial(self._board, place)
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
        charts = [(chart, self._lead(chart)) for chart in summary.leads]
        return self._page("summary.html", here="summary.html", summary=summary, charts=charts)

    def _matrix(self) -> str:
        return self._page("matrix.html", here="matrix.html", boards=self._boards(), cells=self._cells())

    def _board(self, place: int) -> str:
        travellers = self.report.scored.travellers
        traveller = travellers[place]
        return self._page(
            "board.html",
            here=self.board_page(traveller),
            traveller=traveller,
            frequencies=frequencies(traveller),
            plot=self._spread(traveller),
            before=travellers[place - 1] if place else None,
            after=travellers[place + 1] if place + 1 < len(travellers) else None,
        )

    def _card(self, contestant: Contestant, standing: Standing | None) -> str:
        card = self.cards[contestant]
        return self._page(
            "card.html",
            here=self.card_page(contestant),
            contestant=contestant,
            card=card,
            standing=standing,
            plot=self._running(contestant, card),
        )

    def _page(self, template: str, **more: object) -> str:
        return _environment().get_template(template).render(site=self, report=self.report, **more)

    def board_page(self, traveller: ScoredTraveller) -> str:
        """Return the file name of a board's page."""
        field = f"{file_name(traveller.field)}-" if traveller.field else ""
        return f"board-{field}{traveller.board}.html"

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

    def shown(self, line: Line, side: Side = Side.NS) -> object:
        """Return the columns of a traveller for a line."""
        return shown(line, side)

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

    def imps(self, units: int) -> str:
        """Return the IMPs of a match as text."""
        return f"{to_points(units):g}"

    def _boards(self) -> list[ScoredTraveller]:
        return list(self.report.scored.travellers)

    def _cells(self) -> dict[tuple[Contestant, str, int], SideScore | None]:
        return {
            (who, line.line.field, line.line.board): line.score
            for who, card in self.cards.items()
            for line in card
        }

    def shade(self, score: SideScore | None) -> str:
        """Return the CSS class of a matrix cell: none, or q0 to q4 by fifths of the top, or of -10 to +10 points."""
        if score is None:
            return "none"
        share = score.percentage
        if share is None:
            share = 50 + 5 * score.points
        return f"q{min(4, max(0, int(share // 20)))}"

    def slam_words(self, slam: SlamCount) -> str:
        """Return at how many tables a slam was bid and made."""
        if not slam.bid:
            return "Nobody bid it"
        return f"Bid at {counted(slam.bid, 'table')}, made at {slam.made}"

    def names(self, contestants: Iterable[Contestant], between: str = " – ") -> str:
        """Return the names of contestants, or their numbers where names are unknown."""
        return between.join(self.report.name(who) or str(who) for who in contestants)

    def ranking_title(self, ranking: Ranking) -> str:
        """Return the title of a ranking of the session: its field and side; empty if there is only one."""
        field = self.field_title(ranking.field) if self.several_fields and ranking.field else ""
        side = SIDE_TITLES[ranking.side] if ranking.side else ""
        return " · ".join(part for part in (field, side) if part)

    def worth(self, score: SideScore) -> str:
        """Return the points of a side: per cent of the top, or points with their sign and unit."""
        share = score.percentage
        return f"{share:.0f} %" if share is not None else f"{_signed(score.points)} {self.board_point}"

    def _lead(self, chart: LeadChart) -> Markup:
        lines = [(f"{who.section}{who.number}", values) for who, values in chart.values.items()]
        title = " · ".join(
            part for part in (self.ranking_title(chart.ranking), "The lead, round by round") if part
        )
        return lead_plot(chart.rounds, lines, "%" if self.has_top else "", title)

    def _spread(self, traveller: ScoredTraveller) -> Markup:
        bars = []
        for frequency in frequencies(traveller):
            share = frequency.ns.percentage
            worth = f"{share:.0f}%" if share is not None else _signed(frequency.ns.points)
            cards = f" ({frequency.version})" if frequency.version else ""
            bars.append(
                (
                    f"{frequency.ns_score:+d}" if frequency.ns_score else "0",
                    float(frequency.times),
                    f"· {worth}{cards}",
                )
            )
        return spread_plot(bars, f"{self.board_title(traveller)}: how often each North-South score was made")

    def _running(self, contestant: Contestant, card: tuple[CardLine, ...]) -> Markup:
        values = [(str(line.line.board), line.running) for line in card]
        middle, unit = (50, "%") if self.has_top else (0, "")
        return running_plot(values, middle, unit, f"{contestant}: from board to board")


def _points(score: SideScore | None) -> str:
    return "–" if score is None else f"{score.points:.2f}".removesuffix(".00")


def _signed(points: float) -> str:
    return f"{points:+.2f}".rstrip("0").rstrip(".")


def _share(score: SideScore | None) -> str:
    share = score.percentage if score else None
    return "–" if share is None else f"{share:.1f}"


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
