"""Texts: short enough, whole characters, no credentials."""

from time import process_time

from framework.events.text import LONGEST_NOTE, public_note, shortened


def test_no_character_is_cut_in_two() -> None:
    assert shortened("aää", 4) == "aä"
    assert shortened("aä", 3) == "aä"
    assert shortened("lone \ud800 surrogate", 100) == "lone ? surrogate"


def test_a_credential_at_the_cut_leaves_no_half_of_it() -> None:
    note = public_note("x" * (LONGEST_NOTE - 14) + " token=abcdefghijklmnop")

    assert "abcd" not in note
    assert len(note) <= LONGEST_NOTE


def test_a_note_of_any_size_is_cut() -> None:
    assert public_note("ä" * 10_000_000) == "ä" * (LONGEST_NOTE // 2)


def test_a_note_made_to_be_slow_to_search_holds_up_nobody() -> None:
    begin = process_time()

    public_note("a-" * 1_000_000)

    assert process_time() - begin < 2.0
