{{/*
What a component may do, as four kinds of roles: watched (rules), home (rules), cluster (rules), namespaces (rules by namespace).
All of it comes from files/rbac.yaml, with our names in place of the default ones.
*/}}
{{- define "windlass.rights" -}}
{{- $modes := .root.Files.Get "files/modes.yaml" | fromYaml -}}
{{- $mode := get $modes .component.mode -}}
{{- $parts := default list $mode.always -}}
{{- if eq .component.mode "manager" }}{{ $parts = concat $parts (splitList "," (include "windlass.controllers" .)) }}{{ end -}}
{{- if .component.cfWorkerGroup }}{{ range $name, $alias := $mode.cfWorkerGroup }}{{ if has $name $parts }}{{ $parts = append $parts $alias }}{{ end }}{{ end }}{{ end -}}
{{- if and (eq .component.mode "manager") (or (has "cluster" $parts) (has "instance" $parts)) (not (get .component.flags "hub-id")) }}{{ $parts = append $parts "hub-id" }}{{ end -}}
{{- if include "windlass.isElecting" . }}{{ $parts = concat $parts $mode.leaderElection }}{{ end -}}
{{- if include "windlass.reviewsMetrics" . }}{{ $parts = append $parts "metrics" }}{{ end -}}
{{- $peerpods := default (include "windlass.namespace" .root) .component.peerpodsNamespace -}}
{{- $text := .root.Files.Get "files/rbac.yaml" -}}
{{- $text = $text | replace "windlass-director" (include "windlass.componentName" .) | replace "windlass-manager" (include "windlass.componentName" .) -}}
{{- $file := $text | replace "confidential-containers-system" $peerpods | fromYaml -}}
{{- $watched := list -}}{{- $home := list -}}{{- $cluster := list -}}{{- $named := dict -}}
{{- range $parts -}}
{{- if not (hasKey $file .) }}{{ fail (printf "files/rbac.yaml has no rules of %s; run make manifests" .) }}{{ end -}}
{{- $rules := get $file . -}}
{{- $watched = concat $watched (default list $rules.watched) -}}
{{- $home = concat $home (default list $rules.home) -}}
{{- $cluster = concat $cluster (default list $rules.cluster) -}}
{{- range $namespace, $some := $rules.namespaces -}}
{{- $_ := set $named $namespace (concat (default list (get $named $namespace)) $some) -}}
{{- end -}}
{{- end -}}
{{- dict "watched" (uniq $watched) "home" (uniq $home) "cluster" (uniq (concat $cluster .root.Values.rbac.extraRules)) "namespaces" $named | toYaml -}}
{{- end }}

{{/* A role of either kind and its binding: context, object, rules, and a namespace or none. */}}
{{- define "windlass.boundRole" -}}
{{- $root := .context.root -}}
{{- $kind := ternary "Role" "ClusterRole" (ne .namespace "") -}}
{{- $metadata := dict "root" $root "object" .object "component" .context.name "namespace" .namespace "cluster" (eq .namespace "") -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  {{- include "windlass.metadata" $metadata | nindent 2 }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  {{- include "windlass.metadata" $metadata | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ .object | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "windlass.serviceAccountName" .context }}
    namespace: {{ include "windlass.namespace" $root }}
{{ end }}
