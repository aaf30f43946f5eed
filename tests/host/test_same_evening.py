"""The same evening twice: driven by a session file alone, and by the Data Connector with the vendor's own client."""

from dataclasses import replace
from pathlib import Path

from bridgemate_dataconnector import DataConnectorClient
from bridgemate_dataconnector import dto as vendor
from bridgemate_dataconnector.dto import DataConnectorResponseData as Data
from bridgemate_dataconnector.dto import ErrorType

from overtrick.bridge import Outcome
from overtrick.bws.contents import open_contents
from overtrick.bws.scoring_changes import correction
from overtrick.bws.scoring_side import create
from overtrick.control import inputs, screens
from overtrick.control.orders import Start, parse_command_line
from overtrick.event import OpenEvent
from overtrick.event.calls import CallStatus
from overtrick.event.limits import Generation
from overtrick.event.results import ResultEntry
from overtrick.event.settings import SettingsII
from overtrick.host.control import ControlRoom
from overtrick.host.house import open_house
from overtrick.host.session_file import open_file_room
from overtrick.scoring import Ranking
from tests.bws.conftest import do
from tests.connector import samples
from tests.connector.running import running
from tests.event.evenings import SESSION, plan
from tests.host.players import OK, SEVEN, Players

QUIET = SettingsII(show_results=False, show_next_seating=False)


def _ranking(players: Players) -> list[Ranking]:
    view = players.control.view(SESSION)
    assert view is not None
    return view.rankings(1)


def _play(players: Players) -> None:
    players.sit_down(1, 2)
    for _ in range(3):
        for table in (1, 2):
            players.play_round(table)
        players.control.tick()
    for table in (1, 2):
        assert isinstance(players.terminals[table].display.screen, screens.EndScreen)
        players.press(table, OK)
    players.control.tick()


def _by_file(path: Path) -> list[Ranking]:
    planned = plan(settings=(("A", QUIET),))
    create(path, OpenEvent(SESSION, (planned,)), computer="CLUB")
    players = Players(SESSION)
    start = parse_command_line([f"/f:[{path}]", "/s", "/r"])
    with open_file_room(
        start, computer="CLUB", now=lambda: players.now, generation=Generation.II, evaluates=False
    ) as room:
        players.control = room
        _play(players)
        right = ResultEntry("A", 1, 1, 1, Outcome.parse("6NTS="), SEVEN.replace(tzinfo=None))
        do(path, correction(open_contents(path), right))
        room.tick()
        assert len(players.played()) == 24
        return _ranking(players)


def _ok(response: vendor.ScoringProgramResponse) -> None:
    assert response.error_type is ErrorType.None_, response.serialized_data


def _by_connector() -> list[Ranking]:
    players = Players(SESSION)
    with running() as served:
        client = DataConnectorClient("CLUB001", "key", served.http)
        settings = samples.settings2(
            VerificationTime=2, BM2AutoBoardNumber=True, BM2Ranking=0, BM2TDCall=True
        )
        made = samples.init(Bridgemate2Settings=[settings], Bridgemate3Settings=None)
        _ok(client.initialize(vendor.InitDTO.from_dict(made)))
        with (
            open_house(served.journal) as house,
            ControlRoom(
                house, Start(), now=lambda: players.now, generation=Generation.II, evaluates=False
            ) as room,
        ):
            players.control = room
            room.tick()
            _play(players)
            polled = client.poll_for_results(SESSION)
            assert len(polled) == 24
            _ok(client.accept_queue_data(SESSION, Data.Results))
            assert client.poll_for_results(SESSION) == []

            # A call goes there and back.
            players.sit_down(1)
            players.press(1, inputs.CallDirector())
            (call,) = client.poll_for_td_calls(SESSION)
            call.status = vendor.TdCallDTO.TdCallStatus_InProgress
            _ok(client.send_td_calls(SESSION, [call]))
            players.deliver(players.terminals[1])
            assert players.terminals[1].display.call is CallStatus.IN_PROGRESS

            # The scoring program corrects a result.
            corrected = samples.result(
                1, Level=6, TotalTricks=12, DeclarerDirection=vendor.TableDirection.South.value
            )
            _ok(client.send_results(SESSION, [vendor.ResultDTO.from_dict(corrected)]))
            room.tick()
            assert players.played()["A", 1, 1, 1] == "6NTS="
            return _ranking(players)


def test_both_evenings_end_with_the_same_ranking(tmp_path: Path) -> None:
    by_file, by_connector = _by_file(tmp_path / "monday.bws"), _by_connector()
    assert len(by_file[0].standings) == 4
    assert [replace(ranking, field="") for ranking in by_file] == [
        replace(ranking, field="") for ranking in by_connector
    ]
