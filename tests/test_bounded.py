"""No test waits without a limit, and none sleeps in order to wait for something."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 240
"""Seconds that a test may ask for."""

SLOW = "a slow peer, which is what the test is about"
LOT = "the moment of a kill is drawn by lot"
QUIET = "a moment in which nothing may happen"
CLOCK = "the time that passes is what the product measures here"
KILLED = "a program that works until it is killed; it ends with the pipe to the test that started it"
POINTS = "ends with the list of points at which a pass can be killed"
PROXY = "carries bytes until a socket is closed"

ALLOWED = {
    "tests/bmpftp/standin.py StandIn.play": "what it writes next must come after BMPFTP may have read the last",
    "tests/bmpftp/standin.py main": "the pace of the tables",
    "tests/cli/test_bmpftp.py ScoringProgram.write": SLOW,
    "tests/connector/test_dotnet.py test_client_killed_while_sending_changes_nothing": SLOW,
    "tests/connector/test_http.py test_slow_upload_is_cut_off_when_memory_is_short.run": CLOCK,
    "tests/connector/test_killed.py _kill_soon": LOT,
    "tests/connector/test_pipe.py test_a_request_under_way_is_answered_before_the_pipe_is_closed.slowly": SLOW,
    "tests/connector/test_pipe.py test_requests_in_one_piece_or_in_many_are_answered_alike.run": SLOW,
    "tests/host/killed_control.py Killed.pass_time": LOT,
    "tests/host/test_session_file_defects.py "
    "test_results_entered_after_an_instruction_was_carried_out_survive_a_kill_between_two_flags": POINTS,
    "tests/host/test_session_file_defects.py "
    "test_correction_sent_again_after_a_kill_at_any_point_counts_again": POINTS,
    "tests/host/test_demo.py test_an_evening_that_is_killed_again_and_again_ends_the_same": LOT,
    "tests/host/test_http_server.py test_connection_that_never_reads_its_answer_is_closed_for_a_new_one.work": CLOCK,
    "tests/host/test_http_server.py test_idle_connection_is_closed_for_a_new_one.work": CLOCK,
    "tests/store/killed.py append_for_ever": KILLED,
    "tests/store/killed.py write_for_ever.table": KILLED,
    "tests/store/proxy.py Proxy._accept": PROXY,
    "tests/store/proxy.py Proxy._carry": PROXY,
    "tests/store/test_killed.py kill_often": LOT,
    "tests/tablemanager/test_terminal.py "
    "test_one_line_is_read_ahead_and_the_next_after_it_was_used.run": QUIET,
    "tests/web/test_table_watch.py test_closed_terminal_input_waits_for_the_page.work": QUIET,
    "tests/waiting.py wait_for": "the one place that waits",
    "tests/waiting.py wait_for_async": "the one place that waits",
    "tests/web/test_team_projection.py test_fact_of_one_event_does_not_change_pages_of_others.test": QUIET,
}
"""Places that sleep or loop without an end, each with its reason; a limit of time is on every test."""


parse = cache(ast.parse)
"""Several tests read the same modules."""

WAITING = {"sleep", "run", "check_output", "check_call", "communicate", "wait", "join"}


def unbounded(source: str) -> list[tuple[int, str, str]]:
    """Return line, enclosing function and fault of all that may wait for ever, or sleeps, in a module."""
    tree = parse(source)
    awaited = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Await)}
    awaited |= {id(node.args[0]) for node in calls_of(tree, "asyncio.wait_for", "asyncio.create_task")}
    found = []

    def visit(node: ast.AST, place: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            place = f"{place}.{node.name}" if place else node.name
        elif isinstance(node, ast.While | ast.Call) and (fault := fault_of(node, id(node) in awaited)):
            found.append((node.lineno, place, fault))
        for child in ast.iter_child_nodes(node):
            visit(child, place)

    visit(tree, "")
    return found


def fault_of(node: ast.While | ast.Call, is_awaited: bool) -> str | None:
    """Return what is wrong with a loop or a call, None if nothing is."""
    if isinstance(node, ast.While):
        return "endless loop" if isinstance(node.test, ast.Constant) and node.test.value else None
    waits = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if waits not in WAITING:
        return None
    name = ast.unparse(node.func)
    given = {keyword.arg for keyword in node.keywords}
    if name in ("time.sleep", "sleep") or (name == "asyncio.sleep" and ast.unparse(node.args[0]) != "0"):
        return "sleep"
    if (
        name in ("subprocess.run", "subprocess.check_output", "subprocess.check_call")
        and "timeout" not in given
    ):
        return "no timeout"
    # A coroutine that waits has no limit of its own; the test's is enough, as nothing of it outlives the loop.
    if waits == "communicate" and "timeout" not in given and not is_awaited:
        return "no timeout"
    if waits in ("wait", "join") and "." in name and not node.args and not given and not is_awaited:
        return "no timeout"
    return None


def calls_of(tree: ast.AST, *names: str) -> list[ast.Call]:
    """Return the calls of functions by their names, as they are written."""
    last = {name.rpartition(".")[2] for name in names}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if getattr(call.func, "attr", "") in last]
    return [call for call in named if ast.unparse(call.func) in names]


def is_mark(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Return whether a statement sets the marks of a module or a class."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"


def limit_of(node: ast.AST) -> float | None:
    """Return the seconds that a test, a class or a module gives itself, None if nothing is said or not as a number."""
    nearby = [
        *getattr(node, "decorator_list", ()),
        *(each.value for each in getattr(node, "body", ()) if is_mark(each)),
    ]
    for part in nearby:
        for call in calls_of(part, "pytest.mark.timeout"):
            if isinstance(call.args[0], ast.Constant):
                return float(ast.literal_eval(call.args[0]))
    return None


def too_patient(source: str, default: float) -> list[tuple[int, float]]:
    """Return line and seconds of every wait that a module's tests would not live to see the end of.

    What is outside of all tests may be used by the one with the largest limit.
    """
    tree = parse(source)
    tests = [part for part in tree.body if getattr(part, "name", "").lower().startswith("test")]
    own = limit_of(tree) or default
    largest = max([own, *(limit_of(test) or own for test in tests)])
    found = []
    for part in tree.body:
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        limit = (limit_of(part) or own) if part in tests else largest
        for call in (node for node in ast.walk(part) if isinstance(node, ast.Call)):
            seconds = seconds_of(call)
            if seconds is not None and seconds >= limit:
                found.append((call.lineno, seconds))
    return found


def seconds_of(call: ast.Call) -> float | None:
    """Return how long a call may wait, None if it does not or the number is not in its place."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in {*WAITING, "wait_for", "wait_for_async", "result"}:
        return None
    given: list[ast.expr] = [each.value for each in call.keywords if each.arg in ("timeout", "seconds")]
    if name.startswith("wait_for"):
        given += call.args[1:2]
    elif name == "join":
        given += call.args[:1]
    numbers = [each.value for each in given if isinstance(each, ast.Constant)]
    return next((float(number) for number in numbers if isinstance(number, int | float)), None)


def modules() -> list[Path]:
    return sorted((ROOT / "tests").rglob("*.py"))


def test_no_test_sleeps_or_waits_without_a_limit() -> None:
    found: dict[str, list[str]] = {}
    for path in modules():
        for line, function, fault in unbounded(path.read_text()):
            place = f"{path.relative_to(ROOT).as_posix()} {function}"
            found.setdefault(place, []).append(f"line {line}: {fault}")
    assert {place: faults for place, faults in found.items() if place not in ALLOWED} == {}
    assert ALLOWED.keys() - found.keys() == set(), "these need no exception any more"


def test_no_test_waits_longer_than_it_may_take(request: pytest.FixtureRequest) -> None:
    found = {}
    for path in modules():
        is_helper = not path.name.startswith("test_")
        limit = LONGEST if is_helper else float(request.config.getini("timeout"))
        if late := too_patient(path.read_text(), limit):
            found[path.relative_to(ROOT).as_posix()] = late
    assert found == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def test_it():\n    wait_for(ready, 60)", [(2, 60)]),
        ("def test_it():\n    wait_for(ready, 50)\n    asyncio.wait_for(ready(), seconds)", []),
        ("def test_it():\n    subprocess.run(['ls'], timeout=90)", [(2, 90)]),
        ("@pytest.mark.timeout(120)\ndef test_it():\n    subprocess.run(['ls'], timeout=90)", []),
        ("pytestmark = pytest.mark.timeout(120)\ndef test_it():\n    batch.result(timeout=90)", []),
        ("def helper():\n    thread.join(90)\n@pytest.mark.timeout(120)\ndef test_it():\n    helper()", []),
        ("def helper():\n    thread.join(90)\ndef test_it():\n    helper()", [(2, 90)]),
    ],
)
def test_waits_that_outlast_their_test_are_found(source: str, found: list[tuple[int, float]]) -> None:
    assert too_patient(source, 60) == found


def test_a_test_that_takes_longer_says_why() -> None:
    for path in modules():
        source = path.read_text()
        if "timeout" not in source:
            continue
        lines = source.splitlines()
        for call in calls_of(parse(source), "pytest.mark.timeout"):
            where = f"{path.relative_to(ROOT)}, line {call.lineno}"
            if isinstance(call.args[0], ast.Constant):  # others are worked out from what the caller asks for
                assert ast.literal_eval(call.args[0]) <= LONGEST, where
            nearby = lines[call.lineno - 2 : call.lineno + 1]
            assert any("#" in line or line.startswith('"""') for line in nearby), f"{where}: why?"


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        ("import time\ndef f():\n    time.sleep(1)", [(3, "f", "sleep")]),
        ("async def f():\n    await asyncio.sleep(0.1)", [(2, "f", "sleep")]),
        ("async def f():\n    await asyncio.sleep(0)", []),
        ("class C:\n    def f(self):\n        while True:\n            pass", [(3, "C.f", "endless loop")]),
        ("for _ in range(3):\n    thread.join()", [(2, "", "no timeout")]),
        ("thread.join(3)\nprocess.wait(timeout=3)\nprocess.communicate(timeout=3)\n', '.join(words)", []),
        ("process.wait()", [(1, "", "no timeout")]),
        ("process.communicate(b'x')", [(1, "", "no timeout")]),
        ("async def f():\n    await event.wait()\n    await asyncio.wait_for(event.wait(), 3)", []),
        ("subprocess.run(['ls'], check=True)", [(1, "", "no timeout")]),
        ("subprocess.run(['ls'], timeout=3)", []),
    ],
)
def test_what_waits_without_a_limit_is_found(source: str, faults: list[tuple[int, str, str]]) -> None:
    assert unbounded(source) == faults


HANGS = """
import asyncio

def test_hangs():
    async def wait_in_vain():
        await asyncio.Event().wait()

    asyncio.run(wait_in_vain())

def test_goes_on():
    pass
"""


def test_a_test_that_hangs_fails_with_its_stacks_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(HANGS)
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", "--timeout", "1", "-c", "pyproject.toml"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert "1 failed, 1 passed" in done.stdout
    assert "Timeout (>1.0s) from pytest-timeout" in done.stdout
    assert re.search(r"Stack of Task-\d+:\n  .*test_it.py:6 in test_hangs.<locals>.wait_in_vain", done.stdout)
