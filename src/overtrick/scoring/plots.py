"""Plots as inline SVG without scripts or external files. Independent of contestants."""

from collections.abc import Sequence

from markupsafe import Markup

_WIDE, _HIGH = 480, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 28


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
        reach = min(reach, middle)  # a percentage is from 0 to 100
    low, high = middle - reach, middle + reach
    step = (_WIDE - _LEFT - _RIGHT) / max(1, len(values) - 1)

    def across(place: int) -> float:
        return _LEFT + place * step

    def down(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HIGH - _TOP - _BOTTOM)

    parts = []
    for value in (low + (high - low) * part / 4 for part in range(5)):
        kind = "middle" if abs(value - middle) < 1e-9 else "grid"
        parts.append(
            Markup('<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                kind, _LEFT, _WIDE - _RIGHT, down(value), down(value)
            )
        )
        parts.append(
            Markup('<text class="scale" x="{}" y="{:.1f}">{:.0f}{}</text>').format(
                _LEFT - 6, down(value) + 4, value, unit
            )
        )
    every = max(1, -(-len(values) // 12))
    points = []
    for place, (label, running) in enumerate(values):
        if place % every == 0:
            parts.append(
                Markup('<text class="place" x="{:.1f}" y="{}">{}</text>').format(
                    across(place), _HIGH - 8, label
                )
            )
        if running is not None:
            points.append((across(place), down(running)))
    parts.append(Markup('<polyline points="{}"/>').format(" ".join(f"{x:.1f},{y:.1f}" for x, y in points)))
    last = points[-1]
    parts.append(Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4"/>').format(*last))
    return _svg("running", _WIDE, _HIGH, title, parts)


def lead_plot(
    rounds: Sequence[int], lines: Sequence[tuple[str, Sequence[float | None]]], unit: str, title: str
) -> Markup:
    """Draw a line for each contestant over the rounds, with its label at the end; None values are skipped.

    >>> "A1" in lead_plot([1, 2], [("A1", [50.0, 55.0]), ("A2", [50.0, 45.0])], "%", "Lead")
    True
    """
    numbers = [value for _, values in lines for value in values if value is not None]
    if not numbers or len(rounds) < 2:
        return Markup("")
    wide, high, right = _WIDE, 260, 56
    low, top = min(numbers), max(numbers)
    margin = max(1.0, (top - low) * 0.08)
    low, top = low - margin, top + margin
    step = (wide - _LEFT - right) / (len(rounds) - 1)

    def across(place: int) -> float:
        return _LEFT + place * step

    def down(value: float) -> float:
        return _TOP + (top - value) / (top - low) * (high - _TOP - _BOTTOM)

    parts = []
    for value in (low + (top - low) * part / 4 for part in range(5)):
        parts.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                _LEFT, wide - right, down(value), down(value)
            )
        )
        parts.append(
            Markup('<text class="scale" x="{}" y="{:.1f}">{:.0f}{}</text>').format(
                _LEFT - 6, down(value) + 4, value, unit
            )
        )
    every = max(1, -(-len(rounds) // 14))
    for place, number in enumerate(rounds):
        if place % every == 0:
            parts.append(
                Markup('<text class="place" x="{:.1f}" y="{}">{}</text>').format(
                    across(place), high - 8, number
                )
            )
    drawn = [
        (
            each,
            label,
            [(across(place), down(value)) for place, value in enumerate(values) if value is not None],
        )
        for each, (label, values) in enumerate(lines)
    ]
    drawn = sorted((one for one in drawn if one[2]), key=lambda one: one[2][-1][1])
    labels = _spaced([points[-1][1] for _, _, points in drawn], 17, high - _BOTTOM)
    for (each, label, points), label_y in zip(drawn, labels, strict=True):
        parts.append(
            Markup('<polyline class="l{}" points="{}"/>').format(
                each, " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            )
        )
        x, y = points[-1]
        parts.append(Markup('<circle class="l{}" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(each, x, y))
        parts.append(
            Markup('<text class="end" x="{:.1f}" y="{:.1f}">{}</text>').format(x + 8, label_y + 5, label)
        )
    return _svg("lead", wide, high, title, parts)


def spread_plot(bars: Sequence[tuple[str, float, str]], title: str) -> Markup:
    """Draw a bar for each score from its label, frequency and value; return empty markup without bars.

    >>> spread_plot([], "Board 1")
    Markup('')
    """
    if not bars:
        return Markup("")
    row, label_end, bar_end = 26, 70, 380
    most = max(times for _, times, _ in bars)
    parts = []
    for place, (label, times, worth) in enumerate(bars):
        y = place * row
        long = (bar_end - label_end) * times / most
        parts.append(
            Markup('<text class="label" x="{}" y="{}">{}</text>').format(label_end - 8, y + 18, label)
        )
        parts.append(
            Markup('<rect x="{}" y="{}" width="{:.1f}" height="{}"/>').format(label_end, y + 3, long, row - 6)
        )
        parts.append(
            Markup('<text class="times" x="{:.1f}" y="{}">{}× {}</text>').format(
                label_end + long + 6, y + 18, f"{times:g}", worth
            )
        )
    return _svg("spread", _WIDE, row * len(bars), title, parts)


def _spaced(places: Sequence[float], least: float, end: float) -> list[float]:
    """Return sorted places moved so that each is at least `least` below the one above, and the last above `end`.

    >>> _spaced([10, 12, 60], 15, 100), _spaced([90, 95], 15, 100)
    ([10, 25, 60], [85, 100])
    """
    spaced: list[float] = []
    for place in places:
        spaced.append(max(place, spaced[-1] + least) if spaced else place)
    for number in range(len(spaced) - 1, -1, -1):
        limit = spaced[number + 1] - least if number + 1 < len(spaced) else end
        spaced[number] = min(spaced[number], limit)
    return spaced


def _svg(kind: str, wide: int, high: int, title: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="plot {}" viewBox="0 0 {} {}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{}</title>{}</svg>'
    ).format(kind, wide, high, title, Markup("").join(parts))
