{{- define "windlass.args" -}}
{{- $component := .component -}}
{{- if eq $component.mode "webhook" }}
- webhook
{{- else }}
- -mode={{ $component.mode }}
{{- if eq $component.mode "manager" }}
- -controllers={{ include "windlass.controllers" . }}
{{- with include "windlass.watched" . }}
- -namespaces={{ . }}
{{- end }}
- -system-namespace={{ default (include "windlass.namespace" .root) $component.systemNamespace }}
- -peerpods-namespace={{ default (include "windlass.namespace" .root) $component.peerpodsNamespace }}
{{- if $component.cfWorkerGroup }}
- -enable-cf-worker-group=true
{{- end }}
{{- if and .root.Values.webhook.enabled (not (hasKey $component.flags "webhook-mode")) }}
- -webhook-mode=disabled
{{- end }}
{{- else }}
- -namespace={{ include "windlass.watched" . }}
{{- end }}
{{- if eq $component.mode "director" }}
- -requests=0
{{- end }}
{{- if (get (.root.Files.Get "files/modes.yaml" | fromYaml) $component.mode).leaderElection }}
- -leader-elect={{ $component.leaderElection.enabled }}
- -lease-name={{ include "windlass.componentName" . }}
- -lease-duration={{ $component.leaderElection.leaseDuration }}
- -lease-renew-deadline={{ $component.leaderElection.renewDeadline }}
- -lease-retry-period={{ $component.leaderElection.retryPeriod }}
{{- end }}
{{- if eq $component.mode "cf-api" }}
- -listen=:{{ $component.ports.api }}
{{- if $component.tls.secretName }}
- -tls-cert=/etc/windlass/api/tls.crt
- -tls-key=/etc/windlass/api/tls.key
{{- end }}
{{- range $name, $value := dict "endpoint" $component.storage.endpoint "region" $component.storage.region "bucket" $component.storage.bucket }}
{{- with $value }}
- -s3-{{ $name }}={{ . }}
{{- end }}
{{- end }}
{{- else }}
- -health-probe-bind-address=:{{ $component.ports.health }}
{{- if .root.Values.metrics.enabled }}
- -metrics-bind-address=:{{ $component.ports.metrics }}
- -metrics-secure={{ .root.Values.metrics.secure }}
{{- if include "windlass.metricsSecret" .root }}
- -metrics-cert-dir=/etc/windlass/metrics
{{- end }}
{{- end }}
{{- end }}
- -grace-period={{ $component.gracePeriod }}
- -log-level={{ $component.logLevel }}
- -log-format={{ $component.logFormat }}
{{- range $flag, $value := $component.flags }}
- {{ printf "-%s=%v" $flag $value | quote }}
{{- end }}
{{- range $component.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "windlass.env" -}}
{{- if eq .component.mode "webhook" }}
- name: TARGET_RUNTIMECLASS
  value: {{ join "," .component.runtimeClasses | quote }}
- name: POD_VM_EXTENDED_RESOURCE
  value: {{ .component.extendedResource | quote }}
- name: RESOURCE_AGGREGATION
  value: {{ .component.resourceAggregation | quote }}
- name: TLS_MIN_VERSION
  value: {{ .component.tlsMinVersion | quote }}
- name: WEBHOOK_BIND_ADDRESS
  value: {{ printf ":%d" (int .component.ports.webhook) | quote }}
- name: HEALTH_PROBE_BIND_ADDRESS
  value: {{ printf ":%d" (int .component.ports.health) | quote }}
- name: WEBHOOK_CERT_DIR
  value: /etc/windlass/webhook
{{- end }}
{{- if and (eq .component.mode "cf-api") .component.storage.credentialsSecret }}
- name: AWS_SHARED_CREDENTIALS_FILE
  value: /etc/windlass/s3/credentials
{{- end }}
{{- with .root.Values.proxy.http }}
- name: HTTP_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .root.Values.proxy.https }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .root.Values.proxy.noProxy }}
- name: NO_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .component.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The context without ids where OpenShift wants to choose them itself. */}}
{{- define "windlass.podSecurityContext" -}}
{{- $adapt := .root.Values.openshift.adaptSecurityContext -}}
{{- $isOpenShift := .root.Capabilities.APIVersions.Has "security.openshift.io/v1" -}}
{{- if or (eq $adapt "always") (and (eq $adapt "auto") $isOpenShift) -}}
{{- toYaml (omit .component.podSecurityContext "runAsUser" "runAsGroup" "fsGroup") -}}
{{- else -}}
{{- toYaml .component.podSecurityContext -}}
{{- end -}}
{{- end }}

{{- define "windlass.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if ne .component.mode "webhook" }}
- name: token
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: {{ .component.token.expirationSeconds }}
          {{- with .component.token.audience }}
          audience: {{ . | quote }}
          {{- end }}
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- if not (include "windlass.servedPort" .) }}
{{- with include "windlass.metricsSecret" .root }}
- name: metrics-certificate
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- if eq .component.mode "cf-api" }}
{{- with .component.tls.secretName }}
- name: certificate
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- with .component.storage.credentialsSecret }}
- name: s3-credentials
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- else }}
- name: certificate
  secret:
    secretName: {{ include "windlass.webhookSecret" .root }}
    defaultMode: 0440
{{- end }}
{{- with .component.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "windlass.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if ne .component.mode "webhook" }}
- name: token
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- if and (include "windlass.metricsSecret" .root) (not (include "windlass.servedPort" .)) }}
- name: metrics-certificate
  mountPath: /etc/windlass/metrics
  readOnly: true
{{- end }}
{{- if eq .component.mode "cf-api" }}
{{- if .component.tls.secretName }}
- name: certificate
  mountPath: /etc/windlass/api
  readOnly: true
{{- end }}
{{- if .component.storage.credentialsSecret }}
- name: s3-credentials
  mountPath: /etc/windlass/s3
  readOnly: true
{{- end }}
{{- end }}
{{- else }}
- name: certificate
  mountPath: /etc/windlass/webhook
  readOnly: true
{{- end }}
{{- with .component.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "windlass.ports" -}}
{{- $served := include "windlass.servedPort" . -}}
{{- if ne (include "windlass.healthPort" .) $served }}
- name: health
  containerPort: {{ .component.ports.health }}
{{- end }}
{{- if $served }}
- name: {{ $served }}
  containerPort: {{ get .component.ports $served }}
{{- else if .root.Values.metrics.enabled }}
- name: metrics
  containerPort: {{ .component.ports.metrics }}
{{- end }}
{{- end }}

{{/* Where a component is to be put, and what it may find there. */}}
{{- define "windlass.scheduling" -}}
{{- $component := .component -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" "schedulerName" "dnsPolicy" "dnsConfig" "hostAliases" }}
{{- with get $component $key }}
{{ $key }}:
  {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- with $component.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- toYaml (merge (dict) . (dict "labelSelector" (dict "matchLabels" (include "windlass.selectorLabels" $ | fromYaml)))) | nindent 4 }}
  {{- end }}
{{- end }}
{{- if $component.hostNetwork }}
hostNetwork: true
{{- end }}
{{- if not (kindIs "invalid" $component.hostUsers) }}
hostUsers: {{ $component.hostUsers }}
{{- end }}
{{- end }}
