import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.connector.pipe_framing import LineTooLong, PipeProtocol, PipeState, RequestLine


def test_byte_order_mark_and_both_line_ends_are_accepted() -> None:
    talk = PipeProtocol()
    talk.receive(b"\xef\xbb\xbfone\r\ntwo\n\n\r\nthree")
    assert talk.next_event() == RequestLine(b"one")
    assert talk.next_event() is None, "one request at a time"
    assert talk.answer(b"1") == b"1\n"
    assert talk.next_event() == RequestLine(b"two")
    talk.answer(b"2")
    assert talk.next_event() is None
    talk.receive(b"\n")
    assert talk.next_event() == RequestLine(b"three")


@given(
    st.lists(st.binary(min_size=1, max_size=9).filter(lambda text: not set(text) & set(b"\n\r \t\x0b\x0c"))),
    st.data(),
)
def test_split_bytes_give_the_same_requests(lines: list[bytes], data: st.DataObject) -> None:
    lines = [line.removeprefix(b"\xef\xbb\xbf") or b"x" for line in lines]
    stream = b"".join(line + data.draw(st.sampled_from([b"\n", b"\r\n"])) for line in lines)
    talk = PipeProtocol()
    found = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        talk.receive(stream[:size])
        stream = stream[size:]
        while isinstance(event := talk.next_event(), RequestLine):
            found.append(event.text)
            talk.answer(b"")
    assert found == lines


def test_endless_line_is_rejected_at_the_limit() -> None:
    talk = PipeProtocol(longest=1000)
    for _ in range(1000):
        talk.receive(b"x" * 100)
        event = talk.next_event()
        if event is not None:
            break
    assert event == LineTooLong(1000)
    assert talk.state is PipeState.CLOSED
    talk.receive(b"\n")
    assert talk.next_event() is None


def test_line_at_the_limit_is_accepted_and_one_byte_more_is_rejected() -> None:
    for extra, expected in ((0, RequestLine), (1, LineTooLong)):
        talk = PipeProtocol(longest=10)
        talk.receive(b"x" * (10 + extra) + b"\n")
        assert isinstance(talk.next_event(), expected)


def test_answer_without_a_request_or_with_a_line_break_is_an_error() -> None:
    talk = PipeProtocol()
    with pytest.raises(RuntimeError):
        talk.answer(b"{}")
    talk.receive(b"one\n")
    talk.next_event()
    with pytest.raises(ValueError, match="one line"):
        talk.answer(b"a\nb")
