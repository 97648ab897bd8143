{{/* The Secret with the certificate of the metrics; empty: every process signs one for itself. */}}
{{- define "windlass.metricsSecret" -}}
{{- $certificate := .Values.metrics.certificate -}}
{{- if and .Values.metrics.enabled .Values.metrics.secure -}}
{{- if $certificate.secretName -}}
{{- $certificate.secretName -}}
{{- else if $certificate.certManager -}}
{{- printf "%s-metrics" (include "windlass.fullname" .) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "windlass.metricsService" -}}
{{- printf "%s-%s-metrics" (include "windlass.fullname" .root) .name -}}
{{- end }}

{{/* Whether a kind of somebody else's is to be rendered: not if it is missing and that is no error. */}}
{{- define "windlass.isRendered" -}}
{{- if and .settings.enabled (or (not .settings.skipIfMissing) (.root.Capabilities.APIVersions.Has .kind)) }}yes{{ end -}}
{{- end }}

{{/* How a scraper speaks to a component: scheme and TLS of an endpoint. */}}
{{- define "windlass.scrape" -}}
port: metrics
path: /metrics
interval: {{ .settings.interval }}
scrapeTimeout: {{ .settings.scrapeTimeout }}
{{- if .root.Values.metrics.secure }}
scheme: https
tlsConfig:
  {{- if .settings.tlsConfig }}
  {{- toYaml .settings.tlsConfig | nindent 2 }}
  {{- else if include "windlass.metricsSecret" .root }}
  serverName: {{ .serverName }}
  ca:
    secret:
      name: {{ include "windlass.metricsSecret" .root }}
      key: ca.crt
  {{- else }}
  # Every process signs its own certificate, which nobody can know beforehand.
  insecureSkipVerify: true
  {{- end }}
{{- end }}
{{- with .settings.relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
