import pytest
from hypothesis import given
from hypothesis import strategies as st

from controllers.cfapi.failure import CfError
from controllers.cfapi.form import parse_form

TYPE = "multipart/form-data; boundary=frontier"


def part(name: str, body: bytes, content_type: str = "") -> bytes:
    head = f'--frontier\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
    if content_type:
        head += f"Content-Type: {content_type}\r\n"
    return head.encode() + b"\r\n" + body + b"\r\n"


def test_parts_come_in_order_with_name_type_and_every_byte() -> None:
    binary = bytes(range(256)) * 1000
    body = part("metadata", b"{}") + part("a/b", binary, "Application/WASM; x=y") + b"--frontier--\r\n"

    found = parse_form(TYPE, body, max_parts=2)

    assert [(each.name, each.content_type) for each in found] == [("metadata", ""), ("a/b", "application/wasm")]
    assert found[1].body == binary


def test_one_part_too_many_is_too_large() -> None:
    body = b"".join(part(f"p{number}", b"x") for number in range(3)) + b"--frontier--\r\n"

    with pytest.raises(CfError) as caught:
        parse_form(TYPE, body, max_parts=2)

    assert (caught.value.status, caught.value.code) == (413, 10027)


@pytest.mark.parametrize("body", [b"", b"--frontier", part("a", b"x")])
def test_form_without_its_end_is_refused(body: bytes) -> None:
    with pytest.raises(CfError) as caught:
        parse_form(TYPE, body, max_parts=10)

    assert (caught.value.status, caught.value.code) == (400, 10001)


@given(st.text(max_size=60), st.binary(max_size=300))
def test_nothing_but_a_refusal_comes_of_nonsense(content_type: str, body: bytes) -> None:
    for kind in (content_type, TYPE):
        try:
            parse_form(kind, body, max_parts=3)
        except CfError as error:
            assert error.status in {400, 413}  # noqa: PT017 - whether it is raised is not the question


@given(st.binary(max_size=300))
def test_nothing_but_a_refusal_comes_of_a_broken_part(body: bytes) -> None:
    broken = b"--frontier\r\n" + body + b"\r\n--frontier--\r\n"

    try:
        parse_form(TYPE, broken, max_parts=3)
    except CfError as error:
        assert error.status in {400, 413}  # noqa: PT017 - as above
