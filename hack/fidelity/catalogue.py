"""The behaviours of a Kubernetes API server that count, section by section. One short line says what each is."""

from collections.abc import Mapping

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Identity, versions, writes": {
        "B1": "resourceVersion is one increasing counter over the whole store",
        "B2": "a list has the version of its snapshot",
        "B3": "a PUT is conditional; which kinds may be overwritten without a version",
        "B4": "a write that changes nothing keeps the version and makes no event",
        "B5": "generation counts changes of the desired state, and the mark of deletion",
        "B6": "uid and creationTimestamp belong to the server",
        "B7": "generateName",
        "B8": "the namespace of a request: filled in, compared, missing, terminating",
        "B9": "what a create may not set",
        "B10": "defaults, pruning, schemas, list types, CEL, ratcheting, fieldValidation",
        "B11": "metadata that cannot be changed, or only within limits",
        "B12": "limits of size and time",
    },
    "Deletion": {
        "B13": "finalizers hold a deletion back",
        "B14": "no new finalizers once deletion has begun",
        "B15": "the removal of the last finalizer is the deletion",
        "B16": "graceful deletion without finalizers",
        "B17": "preconditions",
        "B18": "propagation policies and the garbage collector",
        "B19": "a namespace is emptied before it goes",
        "B20": "deletecollection",
    },
    "Subresources, patch, apply": {
        "B21": "status has an endpoint of its own",
        "B22": "scale, eviction, binding, token",
        "B23": "JSON, merge and strategic merge patches",
        "B24": "server-side apply",
        "B25": "dry run",
    },
    "List": {
        "B26": "pages of one snapshot, and tokens that expire",
        "B27": "resourceVersion and resourceVersionMatch",
        "B28": "field and label selectors",
        "B29": "order, PartialObjectMetadata, Table",
        "B30": "reads at version 0 may be stale (the embedded server is always current)",
    },
    "Watch": {
        "B31": "from a version on everything, once, in order",
        "B32": "synthetic ADDED events",
        "B33": "objects that begin or cease to match a selector",
        "B34": "a deletion has a version of its own",
        "B35": "errors inside a stream: 410 in a 200",
        "B36": "bookmarks",
        "B37": "watch lists",
        "B38": "compressed watch lists (Kubernetes 1.37; an option here)",
        "B39": "framing, time limits, slow readers",
        "B40": "the window of history, and compaction",
        "B41": "unread events wait for their reader",
    },
    "Admission, rights, definitions, errors": {
        "B42": "order of admission; webhooks with their policies, selectors and conditions",
        "B43": "versions of definitions, conversion, discovery, names",
        "B44": "RBAC, its messages, access and token reviews",
        "B45": "errors are Status objects; codes and reasons",
        "B46": "leases",
        "B47": "concurrent writers",
    },
}
BEHAVIOURS: Mapping[str, str] = {name: line for section in SECTIONS.values() for name, line in section.items()}
