{{/* Short enough that every suffix of ours still fits into a label. */}}
{{- define "windlass.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "windlass.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end }}

{{/* Of what is in no namespace: two releases of one name in two namespaces must not meet. */}}
{{- define "windlass.clusterName" -}}
{{- printf "%s:%s" (include "windlass.namespace" .) (include "windlass.fullname" .) -}}
{{- end }}

{{/* Which definitions are installed: a pattern of files. */}}
{{- define "windlass.definitions" -}}
{{- ternary "files/{crds,crds-cf-worker-group}/*.yaml" "files/crds/*.yaml" .Values.manager.cfWorkerGroup -}}
{{- end }}

{{- define "windlass.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "windlass.labels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/name" (default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/instance" (.root.Release.Name | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" (.root.Chart.AppVersion | replace "+" "_" | trunc 63)
  "app.kubernetes.io/managed-by" .root.Release.Service
  "app.kubernetes.io/part-of" "windlass" -}}
{{- if .name }}{{ $_ := set $own "app.kubernetes.io/component" .name }}{{ end -}}
{{- toYaml (merge $own (default dict .extra) .root.Values.commonLabels) -}}
{{- end }}

{{/* The metadata of an object: root, name of the object, optionally component, namespace, labels, annotations; cluster: in no namespace. */}}
{{- define "windlass.metadata" -}}
name: {{ .object | quote }}
{{- if not .cluster }}
namespace: {{ default (include "windlass.namespace" .root) .namespace }}
{{- end }}
labels:
  {{- include "windlass.labels" (dict "root" .root "name" .component "extra" .labels) | nindent 2 }}
{{- with merge (dict) (default dict .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "windlass.image" -}}
{{- $image := .Values.image -}}
{{- $registry := default $image.registry .Values.global.imageRegistry -}}
{{- $path := ternary (printf "%s/%s" $registry $image.repository) $image.repository (ne $registry "") -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $path $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $path (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end }}
