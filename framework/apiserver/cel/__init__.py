"""The Common Expression Language as the Kubernetes API server speaks it: rules of schemas and match conditions.

Guarantees:
- The functions, macros and types of Kubernetes 1.36's base environment; what it does not know does not compile.
- Static types from structural schemas: a wrong field, function or operand is found when compiling, in the words of the
  real server.
- Bounded work: an evaluation that would run too long ends with CostExceeded; patterns run in linear time.
- Nothing is loaded before the first expression is compiled.

Not guaranteed:
- The `authorizer` library. The estimate of a rule's worst cost, for which the real server refuses some rules. More than
  32 levels of nesting; the real server has 250.
- Cost in the exact units of the real server: the limit is hit at the same order of magnitude.
"""

from collections.abc import Mapping
from typing import Any

from framework.apiserver.cel.errors import CelError, CostExceeded
from framework.apiserver.cel.program import Program
from framework.apiserver.cel.values import Optional
from framework.loading import LOADING

__all__ = ["CelCompiler", "CelError", "CostExceeded", "Optional", "Program"]


class CelCompiler:
    """Makes programs; keeps the types of the schemas it has seen, so use one for each definition."""

    def __init__(self) -> None:
        self._compiler: Any = None

    def compile(self, text: str, variables: Mapping[str, Mapping[str, Any] | Optional | None]) -> Program:
        """The program for *text*; raises CelError if the real server would refuse it.

        variables: the schema of each; None for a value of any type, Optional(schema) for one that may be absent. The
        root of a resource is marked x-kubernetes-embedded-resource, as one inside another resource is.
        """
        if self._compiler is None:
            # The checker, the libraries and the parser are only worth their import to a server with rules.
            with LOADING:
                from framework.apiserver.cel.compiler import ExpressionCompiler

            self._compiler = ExpressionCompiler()
        program: Program = self._compiler.compile(text, variables)
        return program
