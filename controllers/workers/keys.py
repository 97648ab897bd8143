"""Labels, annotations and finalizers of all kinds of workers."""

PREFIX = "api.cf-worker/"
MANAGED_BY, PROGRAM = "app.kubernetes.io/managed-by", "windlass"

# Labels.
ACCOUNTS, SCRIPTS = "accounts", "scripts"
ACCOUNT = f"{PREFIX}account"
DEPLOYMENT = f"{PREFIX}deployment"
VERSION_ID = f"{PREFIX}version-id"
JOB_BUILDER = f"{PREFIX}job-builder"
BUNDLE = f"{PREFIX}bundle"

# Annotations of a WorkerDeployment and its releases.
UPLOADED_AT = f"{PREFIX}uploaded-at"
VERSION_APPLIED = f"{PREFIX}version-applied"
DEPLOYMENTS = f"{PREFIX}deployments"
SCRIPT_SETTINGS = f"{PREFIX}script-settings"
EXPOSED = f"{PREFIX}exposed"
MESSAGE, TAG = "workers/message", "workers/tag"
REVISION = f"{PREFIX}revision"
RETRY = f"{PREFIX}retry"
STORAGE_OWNER, FAKE_CF_API = f"{PREFIX}storage-owner", "fake-cf-api"

# Annotations of a JobBuilder, its Job and the WorkerBundle that gets the image.
SEQUENCE = f"{PREFIX}sequence"
REBUILD = f"{PREFIX}rebuild"
ATTEMPT = f"{PREFIX}attempt"
COMPOSITION = f"{PREFIX}composition"
APPLIED_SEQUENCE = f"{PREFIX}applied-sequence"
IMAGE_SOURCE = f"{PREFIX}image-source"
# Upstream's key: images before the current one, with commas between, that are to be purged.
LAST_IMAGE = "lastImage"
# Of a canonical object: which values of its alias it was given last.
MIRRORED = f"{PREFIX}mirrored"
SECRETS_VERSION = f"{PREFIX}secrets-version"

SCRIPT_OBJECTS_FINALIZER = f"{PREFIX}script-objects"
PURGE_FINALIZER = f"{PREFIX}purge"
