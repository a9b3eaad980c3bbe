{{- define "raylint.certsPod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "raylint.labels" $root | nindent 4 }}
    app.kubernetes.io/component: certs
spec:
  serviceAccountName: {{ include "raylint.name" $root }}-certs
  automountServiceAccountToken: true
  enableServiceLinks: false
  restartPolicy: OnFailure
  securityContext:
    {{- include "raylint.podSecurity" $root | nindent 4 }}
  {{- include "raylint.placement" $root | nindent 2 }}
  containers:
    - name: certs
      image: {{ include "raylint.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- range .args }}
        - {{ . }}
        {{- end }}
      resources:
        requests: {cpu: 50m, memory: 256Mi}
        limits: {memory: 256Mi}
      securityContext:
        {{- include "raylint.containerSecurity" $root | nindent 8 }}
{{- end -}}
