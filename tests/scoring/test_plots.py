from xml.etree import ElementTree

from overtrick.scoring.plots import BoardBar, FieldBar, card_plot, field_plot, running_plot


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


SPACE = "{http://www.w3.org/2000/svg}"


def test_bars_of_the_field_are_as_long_as_they_are_many_and_par_is_at_its_place() -> None:
    bars = [FieldBar(420, 4, "· 60%", "3× 4♠ N =, 4♠ S ="), FieldBar(-50, 1, "· 0%", "4♠ N <-1>")]
    root = ElementTree.fromstring(field_plot(bars, 140, "Board"))
    widths = [float(bar.get("width", "0")) for bar in root.iter(f"{SPACE}rect")]
    assert widths[0] == 4 * widths[1]
    assert [bar.get("class") for bar in root.iter(f"{SPACE}rect")] == ["ns", "ew"]
    tops = [float(bar.get("y", "0")) for bar in root.iter(f"{SPACE}rect")]
    line = root.find(f"{SPACE}line")
    assert line is not None
    assert tops[0] < float(line.get("y1", "0")) < tops[1]
    words = [text.text for text in root.iter(f"{SPACE}text")]
    assert "4♠ N <-1>" in words
    assert "+140" in words


def test_par_below_every_score_is_the_last_line() -> None:
    root = ElementTree.fromstring(field_plot([FieldBar(420, 1, "")], -200, "Board"))
    line, bar = root.find(f"{SPACE}line"), root.find(f"{SPACE}rect")
    assert line is not None
    assert bar is not None
    assert float(line.get("y1", "0")) > float(bar.get("y", "0"))
    assert field_plot([FieldBar(420, 1, "")], None, "Board").count("<line") == 0


def test_boards_of_a_card_are_bars_up_and_down_from_the_middle_by_round() -> None:
    bars = [
        BoardBar("1", 75.0, 75.0, "R1"),
        BoardBar("2", 25.0, 50.0, "R1"),
        BoardBar("3", None, 50.0, "R2"),
    ]
    root = ElementTree.fromstring(card_plot(bars, 50, "%", "A1"))
    drawn = list(root.iter(f"{SPACE}rect"))
    assert [bar.get("class") for bar in drawn] == ["above", "below"]
    assert drawn[0].get("height") == drawn[1].get("height")
    middle = float(drawn[1].get("y", "0"))
    assert float(drawn[0].get("y", "0")) + float(drawn[0].get("height", "0")) == middle
    assert [text.text for text in root.iter(f"{SPACE}text") if text.get("class") == "round"] == ["R1", "R2"]
    assert "100%" in [text.text for text in root.iter(f"{SPACE}text")]
