from datetime import UTC, date, datetime, timedelta
from time import process_time

from overtrick.event.filing import Filing
from overtrick.event.setup import Status
from overtrick.store.sessions import SessionLine
from overtrick.web.archive import archive
from overtrick.web.session_list import PAGE

TODAY = date(2026, 3, 9)
AT = datetime(2026, 3, 9, 20, tzinfo=UTC)


def line(day: date, name: str = "Evening", changed: datetime = AT) -> SessionLine:
    opened = (f"{day:%Y%m%d}{name}", 1, "event", "", name, day)
    return SessionLine(*opened, Status.FINISHED, Filing.LISTED, 4, 20, False, 1, 1, 1, changed)


def names(lines: tuple[SessionLine, ...]) -> list[str]:
    return [each.name for each in lines]


def test_sessions_of_today_are_listed_first_and_others_by_month() -> None:
    lines = [
        line(date(2026, 2, 3), "b", AT + timedelta(1)),
        line(TODAY, "tonight"),
        line(date(2026, 3, 2), "a"),
        line(date(2026, 2, 10), "c"),
    ]
    found = archive(lines, TODAY)
    assert names(found.today) == ["tonight"]
    assert [(month.title, month.count, names(each)) for month, each in found.by_month] == [
        ("March 2026", 2, ["a"]),
        ("February 2026", 2, ["c", "b"]),
    ]
    assert (found.newer, found.older) == ("", "")


def test_search_and_month_also_list_sessions_of_today() -> None:
    lines = [line(TODAY, "tonight"), line(date(2026, 2, 3), "b")]
    searched = archive(lines, TODAY, "n")
    assert (searched.today, len(searched.by_month)) == ((), 2)
    chosen = archive(lines, TODAY, month="2026-03")
    assert archive(lines * PAGE, TODAY, month="2026-03").older == ""
    assert archive(lines * (PAGE + 1), TODAY, month="2026-03").older == "?month=2026-03&page=2"
    assert [names(each) for _, each in chosen.by_month] == [["tonight"]]
    assert [month.value for month in chosen.months] == ["2026-03", "2026-02"]
    assert archive(lines, TODAY, month="<b>").by_month == ()


def test_pages_keep_the_search_and_every_session_is_on_one_of_them() -> None:
    lines = [line(TODAY - timedelta(days), f"{days}") for days in range(1, 2 * PAGE + 2)]
    pages = [archive(lines, TODAY, "e", number=number) for number in (1, 2, 3, 4)]
    assert [sum(len(each) for _, each in page.by_month) for page in pages] == [PAGE, PAGE, 1, 0]
    assert (pages[0].newer, pages[0].older) == ("", "?find=e&page=2")
    assert (pages[2].newer, pages[2].older) == ("?find=e&page=2", "")
    assert archive(lines, TODAY, number=10**9).by_month == ()


def test_thousand_sessions_take_milliseconds() -> None:
    lines = [line(TODAY - timedelta(days)) for days in range(1_000)]
    began = process_time()
    archive(lines, TODAY)
    assert process_time() - began < 0.25


def test_session_with_a_mistyped_year_is_listed() -> None:
    found = archive([line(date(26, 1, 8), "a")], TODAY)
    assert [(month.value, month.title.split()[0]) for month in found.months] == [("0026-01", "January")]
