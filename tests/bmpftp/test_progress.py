"""The progress of a session."""

from pathlib import Path

from overtrick import jet
from overtrick.bmpftp.progress import FileTableProgress, Progress, progress_of
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Update, carry_out
from tests.bmpftp.folders import evening


def test_progress_has_round_results_and_boards_of_every_table(tmp_path: Path) -> None:
    folder = evening(tmp_path, 5)
    with jet.open(folder.session, "r+") as db:
        table = {"Section": 1, "Table": 2}
        carry_out(
            db,
            [
                Update("Tables", table, {"LogOnOff": 1, "CurrentRound": 3, "UpdateFromRound": 998}),
                Update("ReceivedData", {"ID": 1}, {"Processed": True}),
                Update("RoundData", {"Section": 1, "Table": 3, "Round": 2}, {"EWPair": 0}),
                Update("RoundData", {"Section": 1, "Table": 3, "Round": 3}, {"EWPair": 6}),
            ],
        )
    progress = progress_of(open_contents(folder.session))
    assert progress == Progress(
        (
            FileTableProgress("A1", False, 2, 5, 12, 0),
            FileTableProgress("A2", True, 3, 0, 12, 998),
            FileTableProgress("A3", False, 1, 0, 4, 0),
        ),
        4,
    )
    assert (progress.results, progress.boards) == (5, 28)
