"""S3 as moto's server plays it."""

from typing import Any

import botocore.session
from botocore.config import Config
from moto.server import ThreadedMotoServer

from controllers.scriptstorage.connect import connect_storage
from controllers.scriptstorage.objects import ScriptObjects
from controllers.scriptstorage.settings import StorageSettings

REGION, KEY_ID, SECRET_KEY = "us-east-1", "AKIAEXAMPLE", "secret-key-of-s3"
BUCKET, ALLOWED_BUCKET, FOREIGN_BUCKET = "scripts", "more-scripts", "foreign-scripts"


class Storage:
    def __init__(self) -> None:
        self._moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._moto.start()
        host, port = self._moto.get_host_and_port()
        self.url = f"http://{host}:{port}"
        self.client: Any = botocore.session.Session().create_client(
            "s3",
            region_name=REGION,
            endpoint_url=self.url,
            aws_access_key_id=KEY_ID,
            aws_secret_access_key=SECRET_KEY,
            config=Config(s3={"addressing_style": "path"}),
        )
        for bucket in (BUCKET, ALLOWED_BUCKET, FOREIGN_BUCKET):
            self.client.create_bucket(Bucket=bucket)

    def close(self) -> None:
        self.client.close()
        self._moto.stop()

    def settings(self, **changes: Any) -> StorageSettings:
        given = {
            "bucket": BUCKET,
            "allowed_buckets": (ALLOWED_BUCKET,),
            "endpoint": self.url,
            "region": REGION,
            "access_key_id": KEY_ID,
            "secret_access_key": SECRET_KEY,
        }
        return StorageSettings(**{**given, **changes})

    def objects(self) -> ScriptObjects:
        return connect_storage(self.settings())

    def put(self, key: str, content: str | bytes, bucket: str = BUCKET) -> None:
        body = content.encode() if isinstance(content, str) else content
        self.client.put_object(Bucket=bucket, Key=key, Body=body)

    def keys(self, prefix: str = "", bucket: str = BUCKET) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", ())]
