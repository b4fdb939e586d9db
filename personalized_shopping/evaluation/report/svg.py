"""Small plots as SVG, with a title and a description for those who do not see them.

Own code, because a plotting library would bring a script or a font that a page of one file cannot carry. Colours are
the style sheet's: every shape has a class. A shape with ``data-filter`` narrows the table of episodes when clicked; the
figure's table has the same as links.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

WIDTH = 440
HEIGHT = 210
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 24, 40
LETTER_WIDTH = 7
"""Width of a letter below an axis, in wide fonts."""


class Column(NamedTuple):
    """A column of a chart: its height on the chart's scale, and what is said of it."""

    label: str
    value: float
    said: str
    filter: str = ""
    low: float | None = None
    high: float | None = None
    kind: str = "bar"


class Dot(NamedTuple):
    """A point with its weight, which is the area of its circle."""

    x: float
    y: float
    weight: float
    said: str
    kind: str = "dot"


def drawing(name: str, title: str, description: str, content: Iterable[Markup], height: int = HEIGHT) -> Markup:
    """Return a drawing of the report's width that is one image to a screen reader."""
    return Markup(
        '<svg class="plot" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{n}-title {n}-desc">'
        '<title id="{n}-title">{t}</title><desc id="{n}-desc">{d}</desc>{c}</svg>'
    ).format(w=WIDTH, h=height, n=name, t=title, d=description, c=Markup("").join(content))


def text(x: float, y: float, words: str, kind: str = "tick", anchor: str = "middle") -> Markup:
    """Return a text at a place; ``anchor`` is start, middle or end."""
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(kind, x, y, anchor, words)


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> Markup:
    """Return a straight line."""
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(kind, x1, y1, x2, y2)


def box(x: float, y: float, width: float, height: float, kind: str, said: str = "", narrows: str = "") -> Markup:
    """Return a rectangle; ``said`` is shown where the pointer rests on it, ``narrows`` is the filter a click sets."""
    more = Markup(' data-filter="{}"').format(narrows) if narrows else Markup("")
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"{}>{}</rect>').format(
        kind, x, y, max(width, 0), max(height, 0), more, _tip(said)
    )


def circle(x: float, y: float, radius: float, kind: str, said: str = "") -> Markup:
    """Return a circle."""
    return Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:.1f}">{}</circle>').format(
        kind, x, y, radius, _tip(said)
    )


def _tip(said: str) -> Markup:
    return Markup("<title>{}</title>").format(said) if said else Markup("")


def ticks(top: float, most: int = 5) -> list[float]:
    """Return round numbers from 0 up to, and at least as far as, ``top``."""
    if top <= 0:
        return [0.0, 1.0]
    rough = top / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * (1 - 1e-9))
    return [step * number for number in range(math.ceil(top / step - 1e-9) + 1)]


def short(number: float) -> str:
    """Return a number for an axis."""
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{sign}"
    return f"{number:g}"


def columns(
    bars: Sequence[Column], *, top: float | None = None, x_title: str = "", share: bool = False
) -> list[Markup]:
    """Return columns over named places. With ``share`` the scale is a percentage from 0 to 1, given as such."""
    scale = ticks(1.0 if share else top if top is not None else max((bar.value for bar in bars), default=1))
    highest = scale[-1]
    inner, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    base = TOP + tall

    def y(value: float) -> float:
        return base - tall * value / highest

    found = []
    for tick in scale:
        found += [line(LEFT, y(tick), WIDTH - RIGHT, y(tick))]
        found += [text(LEFT - 6, y(tick) + 4, f"{tick * 100:g} %" if share else short(tick), anchor="end")]
    slot = inner / max(len(bars), 1)
    width = min(slot * 0.78, 48)
    longest = max((len(bar.label) for bar in bars), default=0)
    every = math.ceil(max(len(bars) / 12, (longest * LETTER_WIDTH + 6) / slot))
    for place, bar in enumerate(bars):
        middle = LEFT + slot * (place + 0.5)
        found.append(box(middle - width / 2, y(bar.value), width, base - y(bar.value), bar.kind, bar.said, bar.filter))
        if bar.low is not None and bar.high is not None:
            found.append(line(middle, y(bar.low), middle, y(bar.high), "whisker"))
        if place % every == 0:
            found.append(text(middle, base + 15, bar.label))
    found.append(line(LEFT, base, WIDTH - RIGHT, base, "axis"))
    found.append(text(LEFT + inner / 2, HEIGHT - 5, x_title, "axis-title"))
    return found


def bubbles(dots: Sequence[Dot], *, right: float, x_title: str, y_title: str, diagonal: bool = False) -> list[Markup]:
    """Return circles over two number axes: x from 0 to ``right``, y from 0 to 1; a diagonal where both are equal."""
    scale = ticks(right)
    inner, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    base = TOP + tall
    found = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        height = base - tall * tick
        found += [
            line(LEFT, height, WIDTH - RIGHT, height),
            text(LEFT - 6, height + 4, f"{tick * 100:g}", anchor="end"),
        ]
    for tick in scale:
        found.append(text(LEFT + inner * tick / scale[-1], base + 15, short(tick)))
    if diagonal:
        found.append(line(LEFT, base, WIDTH - RIGHT, TOP, "diagonal"))
    heaviest = max((dot.weight for dot in dots), default=1)
    for dot in sorted(dots, key=lambda one: -one.weight):
        radius = max(2.2, 11 * math.sqrt(dot.weight / heaviest))
        found.append(circle(LEFT + inner * dot.x / scale[-1], base - tall * dot.y, radius, dot.kind, dot.said))
    found.append(line(LEFT, base, WIDTH - RIGHT, base, "axis"))
    found.append(text(LEFT + inner / 2, HEIGHT - 5, x_title, "axis-title"))
    found.append(text(4, 10, y_title, "axis-title", "start"))
    return found


def bars(rows: Sequence[Column]) -> tuple[list[Markup], int]:
    """Return bars of shares (0 to 1) below each other with their names before and their values behind, and the height.

    The value behind a bar is what the row's ``said`` begins with, up to a semicolon.
    """
    step, value_width = 30, 84
    # Some fonts are wider than others; a name that is too long for all would begin outside.
    name_width = min(24 + 8 * max((len(row.label) for row in rows), default=0), 216)
    inner = WIDTH - name_width - value_width
    found = []
    for place, row in enumerate(rows):
        top = 6 + place * step
        found.append(text(name_width - 8, top + 15, row.label, "name", "end"))
        found.append(box(name_width, top + 3, inner, 16, "track"))
        found.append(box(name_width, top + 3, inner * min(max(row.value, 0), 1), 16, row.kind, row.said, row.filter))
        found.append(text(name_width + inner + 8, top + 15, row.said.partition(";")[0], "value", "start"))
    return found, 6 + step * len(rows) + 4
