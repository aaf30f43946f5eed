"""Plots as inline SVG without scripts or external files. Independent of contestants."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

_WIDTH, _HEIGHT = 480, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 20, 12, 28


def running_plot(values: Sequence[tuple[str, float | None]], middle: float, unit: str, title: str) -> Markup:
    """Draw a running result around a middle (50 per cent, or 0 IMPs); None values are skipped.

    Return empty markup if there are no values.

    >>> "polyline" in running_plot([("1", 40.0), ("2", 55.0)], 50, "%", "Pair 3")
    True
    >>> ">100%<" in running_plot([("1", 100.0), ("2", 55.0)], 50, "%", "Pair 3")
    True
    """
    numbers = [value for _, value in values if value is not None]
    if not numbers:
        return Markup("")
    reach = max(10.0, *(abs(value - middle) for value in numbers)) * 1.1
    if unit == "%":
        reach = min(reach, middle)  # Percentages end at 0 and 100.
    low, high = middle - reach, middle + reach
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(values) - 1)

    def x_of(index: int) -> float:
        return _LEFT + index * step

    def y_of(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = []
    for value in (low + (high - low) * quarter / 4 for quarter in range(5)):
        kind = "middle" if abs(value - middle) < 1e-9 else "grid"
        parts.append(
            Markup('<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                kind, _LEFT, _WIDTH - _RIGHT, y_of(value), y_of(value)
            )
        )
        parts.append(
            Markup('<text class="scale" x="{}" y="{:.1f}">{:.0f}{}</text>').format(
                _LEFT - 6, y_of(value) + 4, value, unit
            )
        )
    label_step = max(1, -(-len(values) // 12))
    points = []
    for index, (label, running) in enumerate(values):
        if index % label_step == 0:
            parts.append(
                Markup('<text class="place" x="{:.1f}" y="{}">{}</text>').format(
                    x_of(index), _HEIGHT - 8, label
                )
            )
        if running is not None:
            points.append((x_of(index), y_of(running)))
    parts.append(Markup('<polyline points="{}"/>').format(" ".join(f"{x:.1f},{y:.1f}" for x, y in points)))
    last = points[-1]
    parts.append(Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4"/>').format(*last))
    return _svg("running", _WIDTH, _HEIGHT, title, parts)


def lead_plot(
    rounds: Sequence[int], lines: Sequence[tuple[str, Sequence[float | None]]], unit: str, title: str
) -> Markup:
    """Draw a line for each contestant over the rounds, with its label at the end; None values are skipped.

    Return empty markup if there are no values, or fewer than two rounds.

    >>> "A1" in lead_plot([1, 2], [("A1", [50.0, 55.0]), ("A2", [50.0, 45.0])], "%", "Lead")
    True
    """
    numbers = [value for _, values in lines for value in values if value is not None]
    if not numbers or len(rounds) < 2:
        return Markup("")
    width, height, right = _WIDTH, 260, 56
    scale = _round_scale(min(numbers), max(numbers))
    low, high = scale[0], scale[-1]
    step = (width - _LEFT - right) / (len(rounds) - 1)

    def x_of(index: int) -> float:
        return _LEFT + index * step

    def y_of(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (height - _TOP - _BOTTOM)

    parts = []
    for value in scale:
        parts.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                _LEFT, width - right, y_of(value), y_of(value)
            )
        )
        parts.append(
            Markup('<text class="scale" x="{}" y="{:.1f}">{:.0f}{}</text>').format(
                _LEFT - 6, y_of(value) + 4, value, unit
            )
        )
    label_step = max(1, -(-len(rounds) // 14))
    for index, number in enumerate(rounds):
        if index % label_step == 0:
            parts.append(
                Markup('<text class="place" x="{:.1f}" y="{}">{}</text>').format(
                    x_of(index), height - 8, number
                )
            )
    curves = [
        (
            line_number,
            label,
            [(x_of(index), y_of(value)) for index, value in enumerate(values) if value is not None],
        )
        for line_number, (label, values) in enumerate(lines)
    ]
    curves = sorted((curve for curve in curves if curve[2]), key=lambda curve: curve[2][-1][1])
    labels = _spaced([points[-1][1] for _, _, points in curves], 17, height - _BOTTOM)
    for (line_number, label, points), label_y in zip(curves, labels, strict=True):
        parts.append(
            Markup('<polyline class="l{}" points="{}"/>').format(
                line_number, " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            )
        )
        x, y = points[-1]
        parts.append(Markup('<circle class="l{}" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(line_number, x, y))
        parts.append(
            Markup('<text class="end" x="{:.1f}" y="{:.1f}">{}</text>').format(x + 8, label_y + 5, label)
        )
    return _svg("lead", width, height, title, parts)


@dataclass(frozen=True, slots=True)
class FieldBar:
    """A score of a board in the picture of the field."""

    ns_score: int
    times: float
    worth: str
    contracts: str = ""


def field_plot(bars: Sequence[FieldBar], par: int | None, title: str) -> Markup:
    """Draw a bar for each score, with the contracts that made it, and a line at par; empty markup without bars.

    The bars are in the order of their scores, the best for North-South first, unless a board was fouled.

    >>> field_plot([], None, "Board 1")
    Markup('')
    """
    if not bars:
        return Markup("")
    label_end, bar_end, par_height, row_height = 70, 330, 24, 46
    most_times = max(bar.times for bar in bars)
    height = par_height * (par is not None) + row_height * len(bars)
    parts = []
    y = 0
    is_par_drawn = par is None
    for bar in bars:
        if not is_par_drawn and par is not None and bar.ns_score <= par:
            is_par_drawn = True
            parts.append(_par_line(y, par))
            y += par_height
        length = (bar_end - label_end) * bar.times / most_times
        side = "ns" if bar.ns_score > 0 else "ew" if bar.ns_score < 0 else "none"
        parts.append(
            Markup('<text class="label" x="{}" y="{}">{}</text>').format(
                label_end - 8, y + 18, _signed(bar.ns_score)
            )
        )
        parts.append(
            Markup('<rect class="{}" x="{}" y="{}" width="{:.1f}" height="20"/>').format(
                side, label_end, y + 3, length
            )
        )
        parts.append(
            Markup('<text class="times" x="{:.1f}" y="{}">{}× {}</text>').format(
                label_end + length + 6, y + 18, f"{bar.times:g}", bar.worth
            )
        )
        parts.append(
            Markup('<text class="contracts" x="{}" y="{}">{}</text>').format(label_end, y + 38, bar.contracts)
        )
        y += row_height
    if not is_par_drawn and par is not None:
        parts.append(_par_line(y, par))
    return _svg("field", _WIDTH, height, title, parts)


def _par_line(y: int, par: int) -> Markup:
    """Draw a line at par: the scores above it are better for North-South, those below it equal to par or worse."""
    return Markup(
        '<line class="middle" x1="70" x2="{0}" y1="{1}" y2="{1}"/><text class="par" x="62" y="{2}">par</text>'
        '<text class="par value" x="{0}" y="{3}">{4}</text>'
    ).format(_WIDTH - _RIGHT, y + 12, y + 17, y + 8, _signed(par))


def _signed(score: int) -> str:
    return f"{score:+d}" if score else "0"


@dataclass(frozen=True, slots=True)
class BoardBar:
    """A board in the picture of a score card; None for a value that is not known."""

    label: str
    value: float | None
    running: float | None
    group: str = ""
    """The round; a line is drawn where it changes."""


def card_plot(bars: Sequence[BoardBar], middle: float, unit: str, title: str) -> Markup:
    """Draw a bar for each board, up or down from a middle (50 per cent, or 0 IMPs), and the running result as a line.

    Return empty markup if no board has a value.

    >>> card_plot([BoardBar("1", None, None)], 50, "%", "Pair 3")
    Markup('')
    """
    values = [value for bar in bars for value in (bar.value, bar.running) if value is not None]
    if not values:
        return Markup("")
    reach = max(2.0, *(abs(value - middle) for value in values))
    if unit == "%":
        reach = middle  # Percentages end at 0 and 100.
    width, height, top, bottom = _WIDTH, 220, 12, 44
    step = (width - _LEFT - _RIGHT) / len(bars)

    def y_of(value: float) -> float:
        return top + (middle + reach - value) / (2 * reach) * (height - top - bottom)

    parts = []
    for value in (middle - reach, middle - reach / 2, middle, middle + reach / 2, middle + reach):
        parts.append(
            Markup('<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                "middle" if value == middle else "grid", _LEFT, width - _RIGHT, y_of(value), y_of(value)
            )
        )
        parts.append(
            Markup('<text class="scale" x="{}" y="{:.1f}">{:.0f}{}</text>').format(
                _LEFT - 6, y_of(value) + 4, value, unit
            )
        )
    label_step = max(1, -(-len(bars) // 14))
    last_name_end = -100.0
    points = []
    for index, bar in enumerate(bars):
        left = _LEFT + index * step
        if bar.value is not None:
            upper, lower = sorted((y_of(bar.value), y_of(middle)))
            parts.append(
                Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                    "above" if bar.value >= middle else "below",
                    left + step * 0.15,
                    upper,
                    step * 0.7,
                    max(1.0, lower - upper),
                )
            )
        if index % label_step == 0:
            parts.append(
                Markup('<text class="place" x="{:.1f}" y="{}">{}</text>').format(
                    left + step / 2, height - bottom + 18, bar.label
                )
            )
        if index == 0 or bar.group != bars[index - 1].group:
            parts.append(
                Markup('<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>').format(
                    left, top, height - 4
                )
            )
            if bar.group and left >= last_name_end:
                last_name_end = left + 34
                parts.append(
                    Markup('<text class="round" x="{:.1f}" y="{}">{}</text>').format(
                        left + 4, height - 8, bar.group
                    )
                )
        if bar.running is not None:
            points.append((left + step / 2, y_of(bar.running)))
    if points:
        parts.append(
            Markup('<polyline points="{}"/>').format(" ".join(f"{x:.1f},{y:.1f}" for x, y in points))
        )
        parts.append(Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4"/>').format(*points[-1]))
    return _svg("card", width, height, title, parts)


def _round_scale(least: float, most: float) -> range:
    """Return the numbers on a scale from `least` to `most`: at most six, in steps of 1, 2 or 5 times a power of ten.

    >>> list(_round_scale(33.1, 100.0)), list(_round_scale(-3.5, 2.0)), list(_round_scale(50.0, 50.0))
    ([20, 40, 60, 80, 100], [-4, -2, 0, 2], [49, 50])
    """
    steps = (digit * 10**zeros for zeros in itertools.count() for digit in (1, 2, 5))
    step = next(step for step in steps if most - least <= 4 * step)
    top = math.ceil(most / step) * step
    return range(min(math.floor(least / step) * step, top - step), top + 1, step)


def _spaced(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Return sorted positions, moved so that neighbours are at least `gap` apart and none is beyond `end`.

    >>> _spaced([10, 12, 60], 15, 100), _spaced([90, 95], 15, 100)
    ([10, 25, 60], [85, 100])
    """
    spaced: list[float] = []
    for place in places:
        spaced.append(max(place, spaced[-1] + gap) if spaced else place)
    for index in range(len(spaced) - 1, -1, -1):
        limit = spaced[index + 1] - gap if index + 1 < len(spaced) else end
        spaced[index] = min(spaced[index], limit)
    return spaced


def _svg(kind: str, width: int, height: int, title: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="plot {}" viewBox="0 0 {} {}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{}</title>{}</svg>'
    ).format(kind, width, height, title, Markup("").join(parts))
