"""What pip-audit has found, as one line."""

import json

import msgspec


class Verdict(msgspec.Struct, frozen=True):
    text: str
    is_bad: bool = False


def judge(output: str, complaint: str) -> Verdict:
    """*output* is what `pip-audit --format=json` prints; nothing if it could ask nobody."""
    try:
        dependencies = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        lines = complaint.strip().splitlines()
        return Verdict(f"SKIPPED, the data cannot be reached from here: {lines[-1] if lines else 'no answer'}")
    found = [f"{one['name']} {one['version']}: {flaw['id']}" for one in dependencies for flaw in one.get("vulns", ())]
    if found:
        return Verdict("known vulnerabilities: " + "; ".join(found), is_bad=True)
    unknown = [one["name"] for one in dependencies if "skip_reason" in one]
    if len(unknown) == len(dependencies):
        return Verdict("SKIPPED, the data cannot be reached from here: nothing is known of any distribution")
    about = f"; not known there: {', '.join(unknown)}" if unknown else ""
    return Verdict(f"no known vulnerability in {len(dependencies) - len(unknown)} distributions{about}")
