{{- define "ability.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The name of the objects of a build: its id in lower case, and a digest, since ids that differ in case are two. */}}
{{- define "ability.build" -}}
{{ printf "%s-worker-%s-%s" (.root.Release.Name | trunc 24 | trimSuffix "-") (regexReplaceAll "[^a-z0-9]+" (lower .id) "-" | trunc 16 | trimSuffix "-") (sha256sum .id | trunc 8) }}
{{- end }}

{{- define "ability.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "ability.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
workingDir: {{ .Values.projectDir | quote }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "ability.temporal" -}}
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
{{- if .Values.temporal.tlsSecret }}
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/temporal-tls/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/temporal-tls/tls.key }
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/temporal-tls/ca.crt }
{{- end }}
{{- end }}

{{- define "ability.env" -}}
envFrom:
  - secretRef: { name: {{ .Values.secret | quote }} }
env:
  {{- include "ability.temporal" . | nindent 2 }}
  - { name: ABILITY_STORE, value: {{ .Values.store.address | quote }} }
  {{- with .Values.temporal.uiAddress }}
  - { name: TEMPORAL_UI_ADDRESS, value: {{ . | quote }} }
  {{- end }}
  {{- if .Values.door.enabled }}
  - { name: ABILITY_PAGE_ADDRESS, value: {{ printf "https://%s" .Values.door.host | quote }} }
  {{- end }}
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "ability.mounts" -}}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: system, mountPath: {{ printf "%s/.system" .Values.projectDir | quote }} }
  {{- if .Values.store.claim }}
  - { name: store, mountPath: {{ .Values.store.address | quote }} }
  {{- end }}
  {{- if .Values.temporal.tlsSecret }}
  - { name: temporal-tls, mountPath: /etc/temporal-tls, readOnly: true }
  {{- end }}
{{- end }}

{{- define "ability.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if .Values.store.claim }}
- name: store
  persistentVolumeClaim: { claimName: {{ .Values.store.claim | quote }} }
{{- end }}
{{- if .Values.temporal.tlsSecret }}
- name: temporal-tls
  secret: { secretName: {{ .Values.temporal.tlsSecret | quote }} }
{{- end }}
{{- end }}
