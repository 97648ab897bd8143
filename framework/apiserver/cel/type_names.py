"""The types that an expression can name, as in `type(self.port) == int`."""

from framework.apiserver.cel import types

TYPE_NAMES: dict[str, types.Type] = {
    "bool": types.BOOL,
    "bytes": types.BYTES,
    "double": types.DOUBLE,
    "dyn": types.DYN,
    "int": types.INT,
    "list": types.list_of(types.DYN),
    "map": types.map_of(types.DYN, types.DYN),
    "null_type": types.NULL,
    "string": types.STRING,
    "type": types.type_of(types.DYN),
    "uint": types.UINT,
    "optional_type": types.optional_of(types.DYN),
    "google.protobuf.Duration": types.DURATION,
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "net.IP": types.opaque("net.IP"),
    "net.CIDR": types.opaque("net.CIDR"),
}
