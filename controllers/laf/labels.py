"""Labels on the objects of laf on the hub."""

APPID_LABEL = "laf.dev/appid"
# On Secrets: no other is touched.
SALT_LABEL = "laf.dev/salt"
