"""Names that operators know, most of them from upstream: exactly these."""

from apis.meta import GroupVersionKind, ResourceType

DEPLOYMENT_NAME = "peer-pods-webhook-controller-manager"
SERVICE_NAME = "peer-pods-webhook-webhook-service"
CONFIGURATION_NAME = "peer-pods-webhook-mutating-webhook-configuration"
WEBHOOK_NAME = "mwebhook.peerpods.io"
AUTHORITY_SECRET = "peer-pods-webhook-ca"  # noqa: S105 - its name
SERVING_SECRET = "webhook-server-cert"  # noqa: S105 - its name
APP_LABEL, APP = "app.kubernetes.io/name", "peer-pods-webhook"

DEPLOYMENT = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")
SERVICE = ResourceType(GroupVersionKind("", "v1", "Service"), "services")
SECRET = ResourceType(GroupVersionKind("", "v1", "Secret"), "secrets")
CONFIGURATION = ResourceType(
    GroupVersionKind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"),
    "mutatingwebhookconfigurations",
    "Cluster",
)
