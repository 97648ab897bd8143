"""What a worker is told on its command line."""

import msgspec


class WorkerOptions(msgspec.Struct, frozen=True):
    name: str
    job_retries: int = 3
    job_duration_seconds: float = 2.0
    claim_duration_seconds: float = 30.0
