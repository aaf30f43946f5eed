from overtrick.event import JournalState, Reason, Transaction, streams_of
from overtrick.event.series import SERIES, RemoveSeries, SeriesRemoved, SeriesSet, SetSeries
from overtrick.scoring.series import parse_series, write_series
from overtrick.store.codec import event_codec
from tests.event.evenings import SESSION, do, minimal, refuse

GUID = "5E" * 16
TEXT = f'name = "Cup"\n[[session]]\nname = "One"\nsession = "{SESSION}"\n'
WRITTEN = write_series(parse_series(TEXT))


def test_series_is_set_changed_and_removed() -> None:
    state = minimal()
    assert do(state, SetSeries(GUID, TEXT)) == [SeriesSet(GUID, WRITTEN)]
    assert do(state, SetSeries(GUID, WRITTEN)) == []
    other = WRITTEN.replace("Cup", "Plate")
    assert do(state, SetSeries(GUID, other)) == [SeriesSet(GUID, other)]
    assert state.series == {GUID: other}
    assert do(state, RemoveSeries(GUID)) == [SeriesRemoved(GUID)]
    assert do(state, RemoveSeries(GUID)) == []
    assert state.series == {}


def test_series_has_sessions_of_the_journal_alone() -> None:
    for text in (
        "name = 3",
        'name = "Cup"\n[[session]]\nfile = "one.pbn"',
        'name = "Cup"\n[[session]]\nsession = "Monday"',
        f'name = "Cup"\nplayers = "/etc/passwd"\n[[session]]\nsession = "{SESSION}"',
    ):
        assert refuse(minimal(), SetSeries(GUID, text)).reason is Reason.NOT_ALLOWED
    assert refuse(minimal(), SetSeries("x", TEXT)).reason is Reason.NOT_ALLOWED


def test_series_with_a_file_of_players_is_refused_for_that_file() -> None:
    text = f'name = "Cup"\nplayers = "club.csv"\n[[session]]\nsession = "{SESSION}"'
    assert "file of players ('club.csv')" in str(refuse(minimal(), SetSeries(GUID, text)))


def test_series_in_a_transaction_leaves_the_state_before_it_alone() -> None:
    state = JournalState()
    together = Transaction((SetSeries(GUID, TEXT), RemoveSeries(GUID)))
    assert do(state, together) == [SeriesSet(GUID, WRITTEN), SeriesRemoved(GUID)]
    assert streams_of(state, together) == {SERIES: True}
    assert SERIES in state.stream_prefixes()


def test_facts_of_series_are_read_back() -> None:
    codec = event_codec()
    for fact in (SeriesSet(GUID, WRITTEN), SeriesRemoved(GUID)):
        assert codec.decode(*codec.encode(fact)) == fact
