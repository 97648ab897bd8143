{{/* Every block of values with a mode is a component; here those that are enabled, each over the defaults. */}}
{{- define "windlass.components" -}}
{{- $found := dict -}}
{{- range $name, $own := .Values -}}
{{- if and (kindIs "map" $own) (hasKey $own "mode") -}}
{{- if $own.enabled -}}
{{- $merged := deepCopy $.Values.defaults -}}
{{- range $key, $value := $own -}}{{- $_ := set $merged $key $value -}}{{- end -}}
{{- $_ := set $merged "ports" (merge (dict) (default dict $own.ports) $.Values.defaults.ports) -}}
{{- include "windlass.check" (dict "name" $name "component" $merged) -}}
{{- $_ := set $found $name $merged -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $found -}}
{{- end }}

{{- define "windlass.check" -}}
{{- $budget := .component.podDisruptionBudget -}}
{{- if and $budget.enabled (not (kindIs "invalid" $budget.minAvailable)) (not (kindIs "invalid" $budget.maxUnavailable)) -}}
{{- fail (printf "%s.podDisruptionBudget: give minAvailable or maxUnavailable, not both; null takes one away" .name) -}}
{{- end -}}
{{- if and (has .component.mode (list "director" "manager")) (not .component.leaderElection.enabled) (gt (int .component.replicas) 1) -}}
{{- fail (printf "%s: %d replicas without leader election would decide twice" .name (int .component.replicas)) -}}
{{- end -}}
{{- $grace := include "windlass.seconds" .component.gracePeriod -}}
{{- if le (float64 .component.terminationGracePeriodSeconds) (float64 $grace) -}}
{{- fail (printf "%s: terminationGracePeriodSeconds is %v, which is not longer than the gracePeriod of %s: work would be cut off" .name .component.terminationGracePeriodSeconds .component.gracePeriod) -}}
{{- end -}}
{{- end }}

{{/* A duration of the binary, such as 1m30s or 45, in seconds. */}}
{{- define "windlass.seconds" -}}
{{- $units := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 "" 1.0 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)?" (toString .) -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf (float64 (trimSuffix $unit .)) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end }}

{{- define "windlass.componentName" -}}
{{- printf "%s-%s" (include "windlass.fullname" .root) (kebabcase .name) -}}
{{- end }}

{{- define "windlass.serviceAccountName" -}}
{{- default (include "windlass.componentName" .) .component.serviceAccount.name -}}
{{- end }}

{{/* Where a component keeps its Lease. */}}
{{- define "windlass.home" -}}
{{- $own := include "windlass.namespace" .root -}}
{{- if eq .component.mode "manager" -}}
{{- if include "windlass.hasSystem" (dict "root" .root "component" .component "system" "laf") -}}
{{- default $own .component.systemNamespace -}}
{{- else -}}
{{- default $own .component.peerpodsNamespace -}}
{{- end -}}
{{- else -}}
{{- default $own .component.namespace -}}
{{- end -}}
{{- end }}

{{/* The namespaces that a component watches, with commas between; empty: all. */}}
{{- define "windlass.watched" -}}
{{- if eq .component.mode "manager" -}}
{{- if .component.namespaces -}}
{{- join "," (append .component.namespaces (include "windlass.home" .) | uniq) -}}
{{- end -}}
{{- else -}}
{{- default (include "windlass.namespace" .root) .component.namespace -}}
{{- end -}}
{{- end }}

{{/* The controllers that a manager hosts, whole systems written out; with commas between. */}}
{{- define "windlass.controllers" -}}
{{- $systems := (.root.Files.Get "files/modes.yaml" | fromYaml).manager.systems -}}
{{- $known := list -}}
{{- range $systems }}{{ $known = concat $known . }}{{ end -}}
{{- $chosen := list -}}
{{- range .component.controllers -}}
{{- if hasKey $systems . -}}
{{- $chosen = concat $chosen (get $systems .) -}}
{{- else if has . $known -}}
{{- $chosen = append $chosen . -}}
{{- else -}}
{{- fail (printf "manager.controllers has %q in it, which is none of: %s" . (join ", " (concat (keys $systems | sortAlpha) $known))) -}}
{{- end -}}
{{- end -}}
{{- join "," (default $known $chosen | uniq | sortAlpha) -}}
{{- end }}

{{- define "windlass.hasSystem" -}}
{{- $names := get (.root.Files.Get "files/modes.yaml" | fromYaml).manager.systems .system -}}
{{- range splitList "," (include "windlass.controllers" .) -}}
{{- if has . $names }}yes{{ end -}}
{{- end -}}
{{- end }}

{{/* Whether a component serves metrics behind reviews of the API server. */}}
{{- define "windlass.reviewsMetrics" -}}
{{- if and .root.Values.metrics.enabled .root.Values.metrics.secure (not (include "windlass.servedPort" .)) }}yes{{ end -}}
{{- end }}

{{/* The port at which a component serves others than Prometheus, if it does. Its metrics are plain then, at the port of its probes. */}}
{{- define "windlass.servedPort" -}}
{{- if eq .component.mode "webhook" }}webhook{{ else if eq .component.mode "cf-api" }}api{{ end -}}
{{- end }}

{{/* The port of the probes. */}}
{{- define "windlass.healthPort" -}}
{{- if eq .component.mode "cf-api" }}api{{ else }}health{{ end -}}
{{- end }}

{{- define "windlass.healthScheme" -}}
{{- if and (eq .component.mode "cf-api") .component.tls.secretName }}HTTPS{{ else }}HTTP{{ end -}}
{{- end }}

{{- define "windlass.isElecting" -}}
{{- $mode := get (.root.Files.Get "files/modes.yaml" | fromYaml) .component.mode -}}
{{- if and .component.leaderElection.enabled $mode.leaderElection }}yes{{ end -}}
{{- end }}
