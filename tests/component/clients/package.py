"""The official package. Its annotations are partial, so for the type checker all of it is Any here."""

from typing import Any

import kubernetes.dynamic

client: Any = kubernetes.client
config: Any = kubernetes.config
utils: Any = kubernetes.utils
watch: Any = kubernetes.watch
dynamic: Any = kubernetes.dynamic
