"""The nodes of the cluster, decoded once for each change."""

from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import NODES
from framework.apiserver.objects import Object
from framework.apiserver.storage import Storage


class NodeList:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._follower = Follower(storage, NODES.storage)
        self.nodes: dict[str, Object] = {}

    def update(self) -> bool:
        """Whether anything about the nodes has changed."""
        if self._follower.look() is None:
            return False
        self.nodes = {node["metadata"]["name"]: node for node in self._storage.list(NODES.storage)}
        return True
