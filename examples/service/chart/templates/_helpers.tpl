{{- define "lamina.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lamina.url" -}}
{{ if .Values.store.existingSecret }}$(STORE_URL){{ else }}sqlite:////data/store.db{{ end }}
{{- end }}

{{- define "lamina.environment" -}}
{{- if .Values.store.existingSecret }}
- name: STORE_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.store.existingSecret | quote }}, key: url}}
{{- end }}
- name: LAMINA_SERVICE_KEY
  valueFrom: {secretKeyRef: {name: {{ .Values.key.existingSecret | quote }}, key: key}}
{{- end }}

{{- define "lamina.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 1000
capabilities: {drop: [ALL]}
{{- end }}

{{- define "lamina.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
