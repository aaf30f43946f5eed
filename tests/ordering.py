"""The order in which the tests are begun: the longest first, and not all of them by one process."""

from typing import TypeVar

Item = TypeVar("Item")

LONGEST = (
    "tests/web/test_terminal_browser.py",
    "tests/host/test_session_file_stories.py::test_every_story",
    "tests/host/test_session_file_stories.py::test_story",
    "tests/web/test_browser.py",
    "tests/web/test_browser_desk.py",
    "tests/web/test_teams_browser.py",
    "tests/web/test_evening.py",
    "tests/connector/test_killed.py",
    "tests/test_docs.py::test_the_site",
    "tests/jet/test_crash.py",
    "tests/test_light_distributions.py",
    "tests/cli/test_wheel.py",
    "tests/cli/test_bmpftp.py::test_a_whole_evening",
    "tests/web/test_terminal_node.py",
    "tests/tablemanager/test_client.py",
    "tests/cli/test_postgresql_howto.py",
    "tests/cli/test_demo.py",
)
"""Prefixes of the ids of long tests: started last, one would keep a process busy when all others are done."""


def dealt(items: list[tuple[str, Item]], queues: int) -> list[Item]:
    """Return items, given with their ids, so that each of a number of equal parts begins with long tests.

    pytest-xdist gives each process such a part, and whoever is done takes over from the end of another's.

    >>> short = [(f"tests/test_{n}.py", n) for n in range(4)]
    >>> dealt(short + [(LONGEST[n], n + 10) for n in range(3)], 2)
    [10, 0, 1, 11, 12, 2, 3]
    """
    groups: list[list[Item]] = [[] for _ in LONGEST]
    rest: list[Item] = []
    for id, item in items:
        place = next((n for n, start in enumerate(LONGEST) if id.startswith(start)), None)
        (rest if place is None else groups[place]).append(item)
    turns = [*range(queues), *reversed(range(queues))]
    parts: list[list[Item]] = [[] for _ in range(queues)]
    for n, group in enumerate(group for group in groups if group):
        parts[turns[n % len(turns)]] += group
    ordered: list[Item] = []
    for n, part in enumerate(parts):
        size = (len(items) - len(ordered)) // (queues - n)
        short = max(0, size - len(part))
        ordered += part + rest[:short]
        del rest[:short]
    return ordered
