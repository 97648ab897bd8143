"""ISBNs and credit card numbers."""

import re

_is_isbn10 = re.compile("[0-9]{9}[0-9X]").fullmatch
_is_isbn13 = re.compile("[0-9]{13}").fullmatch
_is_card = re.compile(
    "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    "|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
).fullmatch
_without_gaps = re.compile(r"[\s-]+", re.ASCII).sub
_without_others = re.compile("[^0-9]+").sub


def is_isbn(text: str) -> bool:
    return is_isbn10(text) or is_isbn13(text)


def is_isbn10(text: str) -> bool:
    digits = _without_gaps("", text)
    if _is_isbn10(digits) is None:
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((index + 1) * value for index, value in enumerate(values)) % 11 == 0


def is_isbn13(text: str) -> bool:
    digits = _without_gaps("", text)
    if _is_isbn13(digits) is None:
        return False
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits)) % 10 == 0


def is_credit_card(text: str) -> bool:
    digits = _without_others("", text)
    if _is_card(digits) is None:
        return False
    doubled = [int(digit) * (2 if index % 2 else 1) for index, digit in enumerate(reversed(digits))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0
