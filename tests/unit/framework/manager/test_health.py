"""The report behind /healthz and /readyz."""

from framework.manager.health import Checks


def test_without_checks_all_is_well() -> None:
    assert Checks().report() == (True, "ok\n")


def test_each_check_has_its_line_and_one_problem_is_enough_to_fail() -> None:
    checks = Checks()
    checks.add("informer/pods", lambda: None)
    checks.add("informer/nodes", lambda: "nodes is forbidden")

    is_fine, text = checks.report()

    assert not is_fine
    assert text == "[+]informer/pods ok\n[-]informer/nodes: nodes is forbidden\ncheck failed\n"
    assert checks.problems() == {"informer/nodes": "nodes is forbidden"}


def test_a_check_that_raises_is_a_problem_and_not_a_crash() -> None:
    checks = Checks()
    checks.add("broken", lambda: str(1 // 0))

    is_fine, text = checks.report()

    assert not is_fine
    assert "[-]broken: the check raised ZeroDivisionError" in text


def test_a_problem_is_one_line() -> None:
    checks = Checks()
    checks.add("long", lambda: "first\nsecond\n[+]forged ok")

    assert "[-]long: first second [+]forged ok" in checks.report()[1].splitlines()


def test_a_removed_check_is_asked_no_more() -> None:
    checks = Checks()
    checks.add("gone", lambda: "bad")

    checks.remove("gone")

    assert checks.report() == (True, "ok\n")


def test_checks_may_come_and_go_while_a_report_is_made() -> None:
    checks = Checks()
    checks.add("first", lambda: checks.add("second", lambda: None))

    assert checks.report()[0]


def test_a_check_that_does_not_count_is_told_and_all_is_well_without_it() -> None:
    checks = Checks()
    checks.add("cluster/far", lambda: "does not answer", counts=False)

    assert checks.report() == (True, "[-]cluster/far: does not answer (does not count)\nok\n")
    assert checks.problems() == {"cluster/far": "does not answer"}


def test_a_check_may_count_later_on() -> None:
    checks = Checks()
    checks.add("far", lambda: "broken", counts=False)

    checks.add("far", lambda: "broken")

    assert checks.report() == (False, "[-]far: broken\ncheck failed\n")
