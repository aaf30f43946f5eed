"""Files that the demonstration writes beside its journal, with the same code that writes them for real events."""

import platform
from collections.abc import Iterator
from pathlib import Path

from overtrick.bws.scoring_side import create, plan_of
from overtrick.control.orders import StartOptions
from overtrick.event import OpenEvent
from overtrick.files import write_output
from overtrick.host.reports import ReportRequest, report_of, write_site
from overtrick.host.runtime import Runtime
from overtrick.host.session_file import open_session_file_control
from overtrick.host.simulator import Evening
from overtrick.scoring.pbn import write_results
from overtrick.scoring.usebio import write_usebio


def make_files(folder: Path, evening: Evening, runtime: Runtime) -> Iterator[tuple[str, Path]]:
    """Write the results of an evening in every format; yield the name and path of each file once it is written."""
    report = report_of(runtime, ReportRequest(session=evening.session)).report
    write_site(report, folder / "pages")
    yield "pages", folder / "pages" / "index.html"
    write_output(folder / "evening.pbn", write_results(report))
    yield "PBN", folder / "evening.pbn"
    write_output(folder / "evening.xml", write_usebio(report).encode())
    yield "USEBIO", folder / "evening.xml"
    yield "Bridgemate file", _session_file(folder, evening, runtime)


def _session_file(folder: Path, evening: Evening, runtime: Runtime) -> Path:
    """Write the `.bws` file as two programs do: the scoring side creates it, the control software fills it."""
    file = folder / "evening.bws"
    file.unlink(missing_ok=True)
    with runtime.read(evening.session) as session:
        assert session is not None
        plan = plan_of(session)
        end_time = max((result.at for result in session.results.standing.values()), default=evening.starts)
    computer = platform.node()
    create(file, OpenEvent(evening.session, (plan,)), computer=computer)
    start = StartOptions(file=str(file))
    with open_session_file_control(
        start,
        journal=runtime.journal.engine.address,
        computer=computer,
        now=lambda: end_time,
        evaluates=False,
    ) as control:
        control.tick()
    return file
