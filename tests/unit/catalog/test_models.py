from __future__ import annotations

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Identifier


@pytest.mark.parametrize(
    ("text", "database", "name"),
    [
        ("db.t", "db", "t"),
        ("`db`.`t`", "db", "t"),
        ("db.`a.b`", "db", "a.b"),
        ("`a``b`.t", "a`b", "t"),
        ("db.é t", "db", "é t"),
        ("db.t$partitions", "db", "t$partitions"),
    ],
)
def test_a_name_has_two_parts(text: str, database: str, name: str) -> None:
    identifier = Identifier.parse(text)
    assert (identifier.database, identifier.name) == (database, name)
    assert Identifier.parse(str(identifier)) == identifier


@pytest.mark.parametrize("text", ["", "t", "a.b.c", "db.", ".t", "`db.t", "db.`", "db.``", "a`b.t", "db.t."])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        Identifier.parse(text)
    assert caught.value.condition == "IDENTIFIER_MALFORMED"
