"""What can go wrong with an expression, in the words of the real server."""


class CelError(Exception):
    """The expression cannot be compiled or its evaluation failed; the text is the one the real server prints."""


class CostExceeded(CelError):
    """The evaluation was stopped because it used up its budget."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


class Cancelled(Exception):
    """Ends an evaluation through everything that would forgive an error, such as `||`."""


class NoSuchOverload(CelError):
    """No operator or function takes values of these types; found only while evaluating dynamic values."""

    def __init__(self, call: str = "") -> None:
        super().__init__(f"no such overload: {call}" if call else "no such overload")
