"""Where the code of scripts is kept: an S3 bucket, read by builds, written and read back by the HTTP API.

Guarantees: every call has timeouts; a fault that passes (`StorageUnavailable`) is told from one that does not
(`StorageRefused`); lists are of all pages; what is deleted by prefix ends with `/`, so that no sibling goes with it.
Not guaranteed: that a script is whole before its `_worker.json` is there, which is written last.
"""
