"""Labels of a script that its account's selector matches."""

from apis.cfworker.selector import LabelSelector
from controllers.cfapi import failure
from controllers.workers.keys import ACCOUNT, ACCOUNTS, SCRIPTS
from controllers.workers.selection import InvalidSelector, selection_of


def labels_for(account: str, script: str, selector: LabelSelector) -> dict[str, str]:
    """Raises what to answer if no labels of this script can be selected."""
    fixed = {ACCOUNT: account, SCRIPTS: script}
    labels = {ACCOUNTS: account, **fixed}
    for requirement in selector.match_expressions:
        if requirement.operator == "In" and labels.get(requirement.key) not in requirement.values:
            labels[requirement.key] = requirement.values[0] if requirement.values else ""
        elif requirement.operator == "Exists":
            labels.setdefault(requirement.key, "")
    labels |= {**selector.match_labels, **fixed}
    if not _is_selected(selector, labels):
        message = f"the selector of account {account!r} matches no release of script {script!r}"
        raise failure.CfError(400, failure.UNSUPPORTED, message)
    return labels


def _is_selected(selector: LabelSelector, labels: dict[str, str]) -> bool:
    try:
        return selection_of(selector).matches(labels)
    except InvalidSelector:
        return False
