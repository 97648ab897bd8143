"""A compiled expression."""

from collections.abc import Callable, Mapping
from typing import Any

from framework.apiserver.cel.costs import PER_CALL_LIMIT, Frame
from framework.apiserver.cel.errors import Cancelled, CelError, CostExceeded, NoSuchOverload
from framework.apiserver.cel.values import plain


class Program:
    """Evaluates one expression; holds no state between evaluations.

    names: the variables that the expression refers to. result_type: `bool`, `string`, `dyn`, `list(int)` …
    """

    __slots__ = ("_inputs", "_locals", "_run", "names", "result_type")

    def __init__(
        self,
        run: Callable[[Frame], Any],
        inputs: list[tuple[str, Callable[[Any], Any] | None]],
        *,
        local_count: int,
        names: frozenset[str],
        result_type: str,
    ) -> None:
        self._run = run
        self._inputs = inputs
        self._locals = [None] * local_count
        self.names = names
        self.result_type = result_type

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The result for *values*, JSON by the names of variables; raises CelError."""
        return self.evaluate_with_cost(values)[0]

    def evaluate_with_cost(self, values: Mapping[str, Any], limit: int = PER_CALL_LIMIT) -> tuple[Any, int]:
        """The result and what it cost; raises CostExceeded if it would cost more than *limit*."""
        frame: Frame = [limit]
        for name, convert in self._inputs:
            value = values.get(name)
            frame.append(value if convert is None else convert(value))
        frame += self._locals
        try:
            result = self._run(frame)
        except Cancelled:
            raise CostExceeded from None
        except (TypeError, AttributeError) as error:
            # A value that does not fit the schema it was declared with.
            raise NoSuchOverload from error
        except RecursionError:
            raise CelError("expression recursion limit exceeded") from None
        cost = limit - frame[0] + 1
        return (result if result is True or result is False else plain(result)), cost
