{{/*
A Job that runs a script of the chart in the image, as restricted as the components: root, object, component (its name), like (the values of
the component whose image settings and limits it has), annotations, account, script, env, volumes and where each of them is mounted.
*/}}
{{- define "windlass.job" -}}
{{- $context := dict "root" .root "name" .component "component" .like -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "windlass.metadata" (dict "root" .root "object" .object "component" .component "annotations" .annotations) | nindent 2 }}
spec:
  backoffLimit: 3
  activeDeadlineSeconds: 120
  template:
    metadata:
      labels:
        {{- include "windlass.labels" (dict "root" .root "name" .component) | nindent 8 }}
    spec:
      restartPolicy: Never
      serviceAccountName: {{ .account }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        {{- include "windlass.podSecurityContext" $context | nindent 8 }}
      {{- with concat .root.Values.imagePullSecrets .root.Values.global.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with pick .like "nodeSelector" "tolerations" "dnsPolicy" "dnsConfig" }}
      {{- range $key, $value := . }}
      {{- with $value }}
      {{ $key }}:
        {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- end }}
      {{- end }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "windlass.image" .root | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command:
            - python
            - -c
            - |
              {{- .root.Files.Get (printf "files/%s" .script) | nindent 14 }}
          env:
            {{- range $name, $value := .env }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
          resources:
            {{- toYaml .like.resources | nindent 12 }}
          securityContext:
            {{- toYaml .like.securityContext | nindent 12 }}
          {{- with .volumes }}
          volumeMounts:
            {{- range . }}
            - name: {{ .name }}
              mountPath: {{ .path }}
              readOnly: true
            {{- end }}
      volumes:
        {{- range . }}
        - {{- toYaml (omit . "path") | nindent 10 }}
        {{- end }}
          {{- end }}
{{- end }}

{{/* A token of the Job's account, as a volume: path is the folder, and the file in it is `token`. */}}
{{- define "windlass.jobToken" -}}
name: token
path: {{ . }}
projected:
  defaultMode: 0440
  sources:
    - serviceAccountToken:
        path: token
        expirationSeconds: 600
    - configMap:
        name: kube-root-ca.crt
        items:
          - key: ca.crt
            path: ca.crt
{{- end }}
