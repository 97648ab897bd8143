"""Labels and annotations."""

from collections.abc import Mapping, Sequence

from framework.apiserver.fields import FieldError, FieldProblem, invalid_value
from framework.apiserver.objectmeta.names import label_key_problems, label_value_problems

_LABELS, _ANNOTATIONS = "metadata.labels", "metadata.annotations"
# Keys and values of all annotations of an object together, in bytes.
_ANNOTATIONS_LIMIT = 256 * 1024


def label_errors(labels: Mapping[str, str], field: str = _LABELS) -> Sequence[FieldError]:
    errors = []
    for key, value in labels.items():
        errors += [invalid_value(field, key, problem) for problem in label_key_problems(key)]
        errors += [invalid_value(field, value, problem) for problem in label_value_problems(value)]
    return errors


def annotation_errors(annotations: Mapping[str, str], field: str = _ANNOTATIONS) -> Sequence[FieldError]:
    errors = []
    for key in annotations:
        # Unlike those of labels, prefixes of annotations may have capital letters.
        errors += [invalid_value(field, key, problem) for problem in label_key_problems(key.lower())]
    if _size_of(annotations) > _ANNOTATIONS_LIMIT:
        detail = f"may not be more than {_ANNOTATIONS_LIMIT} bytes"
        errors.append(FieldError(FieldProblem.TOO_LONG, field, detail=detail))
    return errors


def _size_of(annotations: Mapping[str, str]) -> int:
    characters = sum(len(key) + len(value) for key, value in annotations.items())
    # No character takes more than four bytes, so that ordinary objects need not be encoded.
    if characters <= _ANNOTATIONS_LIMIT // 4:
        return characters
    return sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
