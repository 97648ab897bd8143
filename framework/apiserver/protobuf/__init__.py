"""Reads the protobuf in which Go clients send built-in kinds; answers are always JSON, which they all accept.

Guarantees: the same object as if the client had sent JSON, zeros and nulls included; what is not protobuf is a
BadRequest; depth is bounded, and no length in the body is believed beyond the bytes that are there.
Not guaranteed: custom resources, which no client sends so; a message that comes in several pieces.
"""

from framework.apiserver.protobuf.decoding import MEDIA_TYPE, decode_protobuf

__all__ = ["MEDIA_TYPE", "decode_protobuf"]
