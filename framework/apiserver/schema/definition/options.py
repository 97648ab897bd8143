"""How strictly a definition is judged: an update may keep what was wrong before."""

import msgspec

from framework.apiserver.schema.compiled_rule import CompileExpression


class Options(msgspec.Struct, frozen=True, kw_only=True):
    compile_expression: CompileExpression
    needs_schema: bool = True
    needs_known_types: bool = True
    needs_pruned_defaults: bool = True
    needs_atomic_sets: bool = True
    needs_map_keys: bool = True
    needs_recognized_review_version: bool = True
    has_immutable_names: bool = False
    may_have_bad_ca_bundle: bool = True
    # The versions whose selectable fields may be too many, since they were before.
    with_many_selectable_fields: frozenset[str] = frozenset()
