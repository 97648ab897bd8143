"""The HTTP API that `wrangler` talks to: the part of Cloudflare's that deploys Workers, on top of this cluster.

Guarantees: every answer is Cloudflare's envelope, and its status agrees with
`success`; nothing is stored for a request that was refused; a version is in
the bucket, marker last, before any object names it; a value of a secret goes
from the request into the Secret and nowhere else; any number of replicas can
run, since none keeps state.
Not guaranteed: gradual rollouts, assets, and bindings to products other than
Workers, all of which are refused by name.
"""
