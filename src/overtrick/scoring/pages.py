"""A report as a folder of static pages: put it on any web host, open it from disk, or print it.

Gives the text of every page by its name; whoever calls writes the files. Nothing is loaded from elsewhere, and
every text that a person typed is escaped.
"""

import re
from collections.abc import Callable
from functools import cache, partial

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from overtrick.bridge import Seat, Side, Strain, Suit, dealer, vulnerability
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.plots import running_plot, spread_plot
from overtrick.scoring.points import to_points
from overtrick.scoring.ranking import Standing
from overtrick.scoring.report import CardLine, Report, field_title, frequencies, shown
from overtrick.scoring.session import ScoredTraveller, SideScore


def write_pages(report: Report) -> dict[str, str]:
    """Return the pages by file name: index.html, matrix.html, hands.html, and one for each board and contestant."""
    return {name: write() for name, write in page_writers(report).items()}


def page_writers(report: Report) -> dict[str, Callable[[], str]]:
    """Return the same pages, each rendered on demand: of a large event few are read, and all of them take long."""
    return _Site(report).writers()


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
    environment.filters["suits"] = _suits
    environment.globals.update(Side=Side, Seat=Seat, Strain=Strain, Suit=Suit, dealer=dealer)
    return environment


class _Site:
    """One report's pages and how they link to each other."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.method = report.scored.method
        self.several_fields = len({traveller.field for traveller in report.scored.travellers}) > 1
        self.has_top = self.method.has_top
        self.cards = report.score_cards()
        # While play goes on the ranking may be there before any card is.
        ranked = (standing.contestant for _, standing in report.standings())
        self.has_names = any(report.name(contestant) for contestant in (*self.cards, *ranked))
        self.has_partners = any(
            one.line.south for traveller in report.scored.travellers for one in traveller.lines
        )

    def writers(self) -> dict[str, Callable[[], str]]:
        """Return the function that renders each page, by file name."""
        report = self.report
        pages: dict[str, Callable[[], str]] = {
            "style.css": _environment().get_template("style.css").render,
            "index.html": partial(self._page, "index.html", here="index.html"),
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
        field = f"{_file_name(traveller.field)}-" if traveller.field else ""
        return f"board-{field}{traveller.board}.html"

    def card_page(self, contestant: Contestant) -> str:
        """Return the file name of a contestant's page."""
        side = f"-{contestant.side.value.lower()}" if contestant.side else ""
        return f"card-{_file_name(contestant.section)}{contestant.number}{side}.html"

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
        """Return the unit of a board, before a match is converted to victory points or the like."""
        if self.method.scale is not None:
            return "IMP"
        return "BAM" if self.method is Method.PATTON else self.method.point

    @property
    def kind(self) -> str:
        """Return the word for contestants: pairs, teams or players."""
        if self.method.is_teams:
            return "Team"
        return "Player" if self.has_partners else "Pair"

    def shown(self, line: Line, side: Side = Side.NS) -> object:
        """Return the columns of a line."""
        return shown(line, side)

    def imps(self, units: int) -> str:
        """IMPs of a match as they are said."""
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
        """Return the CSS class of a matrix cell: which fifth of the possible score it is in."""
        if score is None:
            return "none"
        share = score.percentage
        if share is None:
            share = 50 + 5 * score.points
        return f"q{min(4, max(0, int(share // 20)))}"

    def _spread(self, traveller: ScoredTraveller) -> Markup:
        bars = []
        for one in frequencies(traveller):
            share = one.ns.percentage
            worth = f"{share:.0f}%" if share is not None else f"{one.ns.points:+.2f}".rstrip("0").rstrip(".")
            bars.append((f"{one.ns_score:+d}" if one.ns_score else "0", float(one.times), f"· {worth}"))
        return spread_plot(bars, f"{self.board_title(traveller)}: how often each North-South score was made")

    def _running(self, contestant: Contestant, card: tuple[CardLine, ...]) -> Markup:
        values = [(str(line.line.board), line.running) for line in card]
        middle, unit = (50, "%") if self.has_top else (0, "")
        return running_plot(values, middle, unit, f"{contestant}: from board to board")


def _file_name(text: str) -> str:
    """Letters and digits as they are, everything else by its number: no text can leave the folder."""
    return re.sub(r"[^A-Za-z0-9]", lambda found: f"_{ord(found[0]):x}_", text)


def _points(score: SideScore | None) -> str:
    return "–" if score is None else f"{score.points:.2f}".removesuffix(".00")


def _share(score: SideScore | None) -> str:
    share = score.percentage if score else None
    return "–" if share is None else f"{share:.1f}"


def _suits(text: str) -> Markup:
    """Suit symbols in their colours."""
    parts = re.split("([♠♥♦♣])", text)
    return Markup("").join(
        Markup('<span class="{}">{}</span>').format("red" if part in "♥♦" else "black", part)
        if part in ("♠", "♥", "♦", "♣")
        else part
        for part in parts
    )
