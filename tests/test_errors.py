from overtrick.errors import BadInput, OvertrickError


def test_text_of_an_error_has_place_and_sentence() -> None:
    error = BadInput("Board 7 has 12 cards in the North hand.", where="evening.pbn, line 12")
    assert str(error) == "evening.pbn, line 12: Board 7 has 12 cards in the North hand."
    assert isinstance(error, OvertrickError)
    assert (error.code, error.exit_status) == ("bad-input", 2)
