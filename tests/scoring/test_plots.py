from xml.etree import ElementTree

from overtrick.scoring.plots import running_plot, spread_plot


def test_a_running_line_skips_what_is_not_known_and_is_escaped() -> None:
    plot = running_plot([("1", None), ("2", 60.0), ("<3>", 40.0)], 50, "%", "A & <B>")
    root = ElementTree.fromstring(plot)
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == "A & <B>"
    line = root.find(f"{space}polyline")
    assert line is not None
    points = [tuple(float(part) for part in point.split(",")) for point in line.get("points", "").split()]
    assert len(points) == 2
    assert points[0][1] < points[1][1]
    assert "<3>" in [text.text for text in root.iter(f"{space}text")]
    assert running_plot([("1", None)], 50, "%", "nothing") == ""


def test_one_board_is_enough() -> None:
    assert "circle" in running_plot([("1", 50.0)], 50, "%", "one")


def test_bars_are_as_long_as_they_are_many() -> None:
    root = ElementTree.fromstring(spread_plot([("+420", 4, "· 60%"), ("-50", 1, "· 0%")], "Board"))
    widths = [float(bar.get("width", "0")) for bar in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert widths[0] == 4 * widths[1]
