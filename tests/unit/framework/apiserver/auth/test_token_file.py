"""The file of static tokens."""

from pathlib import Path

import pytest

from framework.apiserver.auth import UserInfo
from framework.apiserver.auth.token_file import read_token_file
from framework.errors import ConfigurationError


def test_tokens_stand_for_users_with_their_groups(tmp_path: Path) -> None:
    path = tmp_path / "tokens.csv"
    path.write_text('secret-1,alice,uid-1\n\nsecret-2, bob, uid-2, "people, system:masters"\n')

    assert read_token_file(path) == {
        "secret-1": UserInfo("alice", "uid-1"),
        "secret-2": UserInfo("bob", "uid-2", ("people", "system:masters")),
    }


@pytest.mark.parametrize("line", ["secret,alice", ",alice,uid"])
def test_line_that_lacks_something_is_refused_without_showing_it(line: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens.csv"
    path.write_text(line)

    with pytest.raises(ConfigurationError, match="not token,user,uid") as refused:
        read_token_file(path)

    assert "secret" not in str(refused.value)


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.csv cannot be read: No such file"):
        read_token_file(tmp_path / "nowhere.csv")
