"""Loading parts of a server while it runs.

Two tasks that import parts of one package at the same time can each hold what the other one waits for; Python notices,
and one of them fails. So every import inside a function of the embedded API server, of `http` and of `certificates`
stands in `with LOADING:`.
"""

import threading  # noqa: TID251 - what is imported is the whole process's, and no Runtime's; nothing waits in here

LOADING = threading.RLock()
