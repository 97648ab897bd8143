import pytest

from controllers.requeststate.flow import JOBS_ANNOTATION, Flow, InvalidFlow, flow_of
from tests.unit.controllers.requeststate.builders import a_request


def test_a_flow_is_read_from_a_comma_separated_text() -> None:
    assert Flow.parse(" JOB1, JOB2 ,x.y-z").jobs == ("JOB1", "JOB2", "x.y-z")


@pytest.mark.parametrize("text", ["", ",", "JOB1,", "-x", "a b", "a\nb", "ä", "x" * 64])
def test_a_text_with_something_that_is_no_job_is_no_flow(text: str) -> None:
    with pytest.raises(InvalidFlow, match="a job name matches"):
        Flow.parse(f"{text},JOB1")


def test_a_job_is_in_a_flow_once() -> None:
    with pytest.raises(InvalidFlow, match="twice"):
        Flow.parse("JOB1,JOB2,JOB1")


def test_the_last_job_is_followed_by_none() -> None:
    flow = Flow.parse("JOB1,JOB2")

    assert (flow.after("JOB1"), flow.after("JOB2")) == ("JOB2", None)


def test_the_annotation_wins_over_the_flow_of_the_director() -> None:
    default = Flow.parse("JOB1,JOB2")

    assert flow_of(a_request(), default) is default
    assert flow_of(a_request(annotations={JOBS_ANNOTATION: "A,B"}), default).jobs == ("A", "B")
