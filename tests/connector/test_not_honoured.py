from overtrick.connector.not_honoured import NOT_HONOURED


def test_every_listed_property_exists_and_has_a_reason() -> None:
    for dto, name, reason in NOT_HONOURED:
        assert name in dto.__struct_fields__, (dto, name)
        assert reason.endswith(".")
    assert len({(dto, name) for dto, name, _ in NOT_HONOURED}) == len(NOT_HONOURED)
