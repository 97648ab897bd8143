{{/* A Certificate of cert-manager, with an Issuer that signs itself if none is given. */}}
{{- define "windlass.certificate" -}}
{{- if not .issuerRef }}
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  {{- include "windlass.metadata" (dict "root" .root "object" .object) | nindent 2 }}
spec:
  selfSigned: {}
{{- end }}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  {{- include "windlass.metadata" (dict "root" .root "object" .object) | nindent 2 }}
spec:
  secretName: {{ .object }}
  dnsNames:
    {{- toYaml .names | nindent 4 }}
  duration: {{ .duration }}
  renewBefore: {{ .renewBefore }}
  privateKey:
    algorithm: ECDSA
    size: 256
    rotationPolicy: Always
  usages:
    - digital signature
    - server auth
  issuerRef:
    {{- toYaml (default (dict "name" .object "kind" "Issuer") .issuerRef) | nindent 4 }}
{{- end }}

{{- define "windlass.webhookName" -}}
{{- printf "%s-webhook" (include "windlass.fullname" .) -}}
{{- end }}

{{- define "windlass.webhookConfiguration" -}}
{{- printf "%s-webhook" (include "windlass.clusterName" . | replace ":" "-") -}}
{{- end }}

{{- define "windlass.webhookSecret" -}}
{{- $certificate := .Values.webhook.certificate -}}
{{- if eq $certificate.source "secret" -}}
{{- required "webhook.certificate.secretName: which Secret has tls.crt and tls.key?" $certificate.secretName -}}
{{- else -}}
{{- printf "%s-certificate" (include "windlass.webhookName" .) -}}
{{- end -}}
{{- end }}

{{/*
The certificate of the chart, as a map of base64: tls.crt, tls.key, ca.crt. That of the cluster if it is there, so that an upgrade changes
nothing; made only once in a rendering, as the Secret and the configuration must agree.
*/}}
{{- define "windlass.webhookCertificate" -}}
{{- if ne .Values.webhook.certificate.source "chart" -}}
{}
{{- else -}}
{{- if not (hasKey .Values.webhook "made") -}}
{{- $secret := lookup "v1" "Secret" (include "windlass.namespace" .) (include "windlass.webhookSecret" .) -}}
{{- $kept := default dict $secret.data -}}
{{- if and (hasKey $kept "tls.crt") (hasKey $kept "tls.key") (hasKey $kept "ca.crt") -}}
{{- $_ := set .Values.webhook "made" (pick $kept "tls.crt" "tls.key" "ca.crt") -}}
{{- else -}}
{{- $days := int .Values.webhook.certificate.validityDays -}}
{{- $host := printf "%s.%s.svc" (include "windlass.webhookName" .) (include "windlass.namespace" .) -}}
{{- $authority := genCA (printf "%s-authority" (include "windlass.webhookName" .)) $days -}}
{{- $pair := genSignedCert $host nil (list $host (printf "%s.cluster.local" $host)) $days $authority -}}
{{- $_ := set .Values.webhook "made" (dict "tls.crt" ($pair.Cert | b64enc) "tls.key" ($pair.Key | b64enc) "ca.crt" ($authority.Cert | b64enc)) -}}
{{- end -}}
{{- end -}}
{{- toYaml .Values.webhook.made -}}
{{- end -}}
{{- end }}
