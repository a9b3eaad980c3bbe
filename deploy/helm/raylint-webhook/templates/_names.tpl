{{- define "raylint.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The webhook configuration has no namespace, and two releases must not share one. */}}
{{- define "raylint.clusterName" -}}
{{- $name := include "raylint.name" . -}}
{{- if eq $name .Release.Namespace -}}{{ $name }}{{- else -}}
{{- printf "%s-%s" .Release.Namespace $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "raylint.selector" -}}
app.kubernetes.io/name: raylint-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "raylint.labels" -}}
{{ include "raylint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: raylint
{{- end -}}

{{- define "raylint.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "raylint.secret" -}}
{{- if eq .Values.certificates.mode "existingSecret" -}}
{{- required "certificates.existingSecret.name is needed in this mode" .Values.certificates.existingSecret.name -}}
{{- else -}}
{{- include "raylint.name" . }}-tls
{{- end -}}
{{- end -}}

{{- define "raylint.service" -}}
{{ include "raylint.name" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{/* What Pod Security calls restricted. */}}
{{- define "raylint.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "raylint.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "raylint.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
