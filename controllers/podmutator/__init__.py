"""Makes a pod of the runtime class a peer pod: what its VM needs becomes annotations, and it asks for one VM.

Guarantees: the answer depends on the review alone; a pod of another class is
never changed; of a peer pod only annotations of the VM's size and resources
are changed, whatever other fields it has; the answer to an answer is an empty
one; an annotation that is there stays.
Not guaranteed: that the pod is admitted afterwards, see docs/peerpods/webhook.md.
"""

from controllers.podmutator.mutator import PATH, NotAReview, PodMutator
from controllers.podmutator.options import MutatorOptions, mutator_options

__all__ = ["PATH", "MutatorOptions", "NotAReview", "PodMutator", "mutator_options"]
