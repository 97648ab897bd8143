"""The file of static tokens, in the format that kube-apiserver reads."""

import csv
from pathlib import Path

from framework.apiserver.auth.user import UserInfo
from framework.errors import ConfigurationError

_COLUMNS = 3


def read_token_file(path: Path) -> dict[str, UserInfo]:
    """Whom each token stands for. A line is `token,user,uid`, and may have groups: `"group1,group2"`."""
    try:
        with path.open(newline="") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    return {row[0].strip(): _user(row, path) for row in rows}


def _user(row: list[str], path: Path) -> UserInfo:
    if len(row) < _COLUMNS or not row[0].strip():
        raise ConfigurationError(f"{path} has a line that is not token,user,uid")
    _, name, uid, *groups = (column.strip() for column in row)
    return UserInfo(name, uid, tuple(group.strip() for group in groups[0].split(",")) if groups else ())
