from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.catalog.wire.names import decode_segment, encode_segment


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("visits", "visits"),
        ("a b", "a+b"),
        ("a/b", "a%2Fb"),
        ("t$branch_b", "t%24branch_b"),
        ("a+b", "a%2Bb"),
        ("a%2Fb", "a%252Fb"),
        ("*-_.", "*-_."),
        ("~", "%7E"),
        ("é", "%C3%A9"),
        ("?x=1#y", "%3Fx%3D1%23y"),
        ("...", "..."),
    ],
)
def test_a_name_is_one_segment(name: str, segment: str) -> None:
    assert encode_segment(name) == segment
    assert decode_segment(segment) == name


@given(st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back(name: str) -> None:
    if name in (".", ".."):
        return
    segment = encode_segment(name)
    assert segment.isascii()
    assert not set(segment) & set("/?#\\ ;")
    assert decode_segment(segment) == name


@pytest.mark.parametrize("name", ["", ".", "..", "\ud800"])
def test_what_is_no_segment_is_refused(name: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        encode_segment(name)
    assert caught.value.condition == "REST_NAME_INVALID"
    str(caught.value).encode()


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        decode_segment("a%FF")
    assert caught.value.condition == "REST_NAME_INVALID"
