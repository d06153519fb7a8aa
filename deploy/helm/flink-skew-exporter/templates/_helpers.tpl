{{- define "fse.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* 52 characters leave room for the suffix of a CronJob's jobs. */}}
{{- define "fse.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains (include "fse.name" .) .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "fse.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The component tells the exporter's pods from those of the report. */}}
{{- define "fse.selector" -}}
app.kubernetes.io/name: {{ include "fse.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: exporter
{{- end }}

{{- define "fse.labels" -}}
{{ include "fse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "fse.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "fse.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- define "fse.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* http, or https once our own port has a web configuration with TLS. */}}
{{- define "fse.scheme" -}}
{{- if and .Values.web.configSecret .Values.web.tls }}https{{ else }}http{{ end }}
{{- end }}

{{/* What a Deployment and the report's CronJob mount alike. */}}
{{- define "fse.volumeMounts" -}}
{{- if .Values.config }}
- {name: config, mountPath: /etc/flink-skew-exporter/config, readOnly: true}
{{- end }}
{{- range .Values.secrets }}
- {name: secret-{{ . }}, mountPath: /etc/flink-skew-exporter/secrets/{{ . }}, readOnly: true}
{{- end }}
{{- end }}

{{- define "fse.volumes" -}}
{{- if .Values.config }}
- name: config
  configMap: {name: {{ include "fse.fullname" . }}}
{{- end }}
{{- range .Values.secrets }}
- name: secret-{{ . }}
  secret: {secretName: {{ . }}}
{{- end }}
{{- end }}
