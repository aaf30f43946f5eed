"""Exchange of files with a federation: export, import, and folders that are watched for both."""

import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Transaction
from overtrick.files import write_file as write_whole
from overtrick.guid import new_guid
from overtrick.host.lookup import do, open_team_view
from overtrick.host.runtime import Runtime
from overtrick.magic.export import files_of_kind
from overtrick.magic.files import Encoding, open_file, write_file
from overtrick.magic.import_ import IMPORTERS, ImportResult, plan_import, write_rejects
from overtrick.magic.merge import Members
from overtrick.magic.people import KINDS, correct_names, import_people, members, write_people
from overtrick.magic.rows import FileKind
from overtrick.registry import Decisions, Registry
from overtrick.registry.database import RegistryUnavailable
from overtrick.store.errors import JournalError, JournalUnavailable

ORDER = (*KINDS, *IMPORTERS)
"""The order of imports: people before teams, teams before matches, boards before results."""
CONTINUOUS = (FileKind.TEAMS, FileKind.SCHEDULE, FileKind.RESULTS, FileKind.LINE_UPS, FileKind.BOARDS)
"""The files that Magic writes continuously during an event."""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """File of an export: written, or unchanged because it has the same content already."""

    path: Path
    is_changed: bool


def export_event(
    runtime: Runtime, event: str, kinds: Sequence[FileKind], out: Path, encoding: Encoding
) -> list[ExportedFile]:
    """Write the files of these kinds about a team event; leave files with the same content unchanged."""
    with open_team_view(runtime, event) as view:
        return [
            ExportedFile(
                out / export_file.name, write_file(out / export_file.name, kind, export_file.rows, encoding)
            )
            for kind in kinds
            for export_file in files_of_kind(view, kind)
        ]


def export_registry(
    registry: Registry, kind: FileKind, year: int, out: Path, encoding: Encoding
) -> ExportedFile:
    """Write the file of one kind, 3A to 3D, from the registry; leave a file with the same content unchanged."""
    dated = kind in (FileKind.TOTALS, FileKind.RANKS)
    path = out / (f"{kind.value}-{year}.txt" if dated else f"{kind.value}.txt")
    return ExportedFile(path, write_people(path, registry, kind, year, encoding))


def kind_of(path: Path, encoding: Encoding) -> FileKind:
    """Return the kind of an exchange file, from its content; raise BadInput if it cannot be read."""
    with open_file(path, encoding) as exchange_file:
        return exchange_file.kind


def in_import_order(paths: Sequence[Path], encoding: Encoding) -> list[Path]:
    """Return files in the order in which they have to be imported."""
    return sorted(paths, key=lambda path: (ORDER.index(kind_of(path, encoding)), path.name))


def import_file(
    runtime: Runtime | None,
    registry: Registry | None,
    path: Path,
    *,
    encoding: Encoding = Encoding.UTF_8,
    only: str | None = None,
    decisions: Decisions | None = None,
    partial: bool = False,
    rejects: Path | None = None,
) -> ImportResult:
    """Import one file: 3A to 3D into the registry, all others into the journal.

    Rows that were refused are written to `rejects`. Raise BadInput if the target of this kind of file is None."""
    if kind_of(path, encoding) in KINDS:
        if registry is None:
            raise BadInput("This file is about players. Add --registry to import it.", where=str(path))
        result = import_people(path, registry, encoding=encoding, decisions=decisions, partial=partial)
    else:
        if runtime is None:
            raise BadInput("This file is about teams. Add --journal to import it.", where=str(path))
        lookup = Members() if registry is None else members(registry)
        with runtime.writer.reading() as state:
            result = plan_import(
                path,
                state,
                new_guid,
                encoding=encoding,
                only=only,
                accepted=decisions,
                members=lookup,
                partial=partial,
            )
        do(runtime, Transaction(result.commands))
        if registry is not None and result.kind is FileKind.MEMBER_CODES:
            correct_names(path, registry, encoding)
    if result.problems:
        write_rejects(path, rejects or path.with_name(f"{path.name}.rejects.txt"), result.problems, encoding)
    return result


def watch(
    runtime: Runtime,
    registry: Registry | None,
    event: str,
    out: Path,
    incoming: Path | None,
    *,
    every: float,
    encoding: Encoding = Encoding.UTF_8,
    rounds: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[str]:
    """Export changes and import new files, pass by pass; yield a sentence for each thing that happens.

    A file is imported when it has not grown since the last pass. It is then moved to the folder `taken` or `refused`
    beside it, a refused one with the reasons. A folder that does not exist at the start is an error; one that
    disappears later, as on a network, may come back. While the journal or the registry does not answer, files stay
    where they are and every pass tries again.
    """
    if incoming is not None and not incoming.is_dir():
        raise BadInput("There is no such folder to import files from. Nothing was done.", where=str(incoming))
    stamps: dict[Path, tuple[int, int]] = {}
    passes, was_available, is_down = 0, True, False
    while rounds is None or passes < rounds:
        is_available = incoming is None or incoming.is_dir()
        if is_available != was_available:
            yield f"{incoming} {'is available again' if is_available else 'is not available'}."
        was_available = is_available
        try:
            for path in sorted(incoming.glob("*.txt")) if incoming and is_available else ():
                stamp = _stamp(path)
                if stamp is None:
                    continue
                if stamps.get(path) == stamp:
                    yield _import_and_move(runtime, registry, path, event, encoding)
                stamps[path] = stamp
            for file in export_event(runtime, event, CONTINUOUS, out, encoding):
                if file.is_changed:
                    yield f"{file.path.name} was written."
        except (JournalUnavailable, RegistryUnavailable) as error:
            if not is_down:
                yield f"{error} Overtrick will try again."
            is_down = True
        else:
            if is_down:
                yield "The journal answers again."
            is_down = False
        passes += 1
        if rounds is None or passes < rounds:
            sleep(every)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return the size and time of a file, to notice that it still changes; None if it is not a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def _import_and_move(
    runtime: Runtime, registry: Registry | None, path: Path, event: str, encoding: Encoding
) -> str:
    try:
        result = import_file(runtime, registry, path, encoding=encoding, only=event)
    except (JournalError, RegistryUnavailable):
        raise  # the file is not to blame
    except OvertrickError as error:
        sentence = f"{path.name} was refused: {error}"
        try:
            refused = _move_to(path, "refused")
            write_whole(refused.with_suffix(".why.txt"), f"{error}\n".encode())
        except OSError as failure:
            sentence += _not_moved(failure)
        return sentence
    conflicts = "".join(f"\n  {conflict}" for conflict in result.conflicts)
    sentence = f"{path.name} ({result.kind.value}) was imported.{conflicts}"
    try:
        _move_to(path, "taken")
    except OSError as failure:
        sentence += _not_moved(failure)
    return sentence


def _not_moved(failure: OSError) -> str:
    return f"\n  It could not be moved: {failure.strerror}."


def _move_to(path: Path, folder: str) -> Path:
    target_folder = path.parent / folder
    target_folder.mkdir(exist_ok=True)
    number, target = 1, target_folder / path.name
    while target.exists():
        number += 1
        target = target_folder / f"{path.stem}-{number}{path.suffix}"
    return path.rename(target)
