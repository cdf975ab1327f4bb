{{- define "tool-governance.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Names of objects: short enough that the longest suffix still fits into 63 characters. */}}
{{- define "tool-governance.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "tool-governance.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "tool-governance.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What runs: `name` is the folder below apps/, `values` the section of the values and of the secrets. */}}
{{- define "tool-governance.components" -}}
- { name: management-api, values: managementApi }
- { name: tool-executor, values: toolExecutor }
- { name: governance-projector, values: governanceProjector }
{{- end -}}

{{/* Takes { root, name }. */}}
{{- define "tool-governance.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tool-governance.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "tool-governance.labels" -}}
{{ include "tool-governance.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: agentstration
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tool-governance.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tool-governance.port" -}}
{{- dig "Http" "Port" 5100 .Values.configuration | int -}}
{{- end -}}

{{/* The configuration file. What only the operator can know is asked for here, all at once. */}}
{{- define "tool-governance.configuration" -}}
{{- $authentication := .Values.configuration.Authentication | default dict -}}
{{- $missing := list -}}
{{- if not $authentication.Issuer -}}{{- $missing = append $missing "configuration.Authentication.Issuer (who signs your tokens)" -}}{{- end -}}
{{- if not $authentication.Audience -}}{{- $missing = append $missing "configuration.Authentication.Audience (for whom they are)" -}}{{- end -}}
{{- if not (or $authentication.JwksUrl $authentication.JwksFile) -}}{{- $missing = append $missing "configuration.Authentication.JwksUrl (where their keys are)" -}}{{- end -}}
{{- if $missing -}}{{- fail (printf "Please set %s." (join ", " $missing)) -}}{{- end -}}
{{- $own := dict "DataDirectory" "/tmp/agentstration" -}}
{{- dict "Agentstration" (mergeOverwrite (deepCopy .Values.configuration) $own) | toPrettyJson -}}
{{- end -}}

{{/* Seconds that a clean end takes at most. Takes { root, component }. */}}
{{- define "tool-governance.gracePeriodSeconds" -}}
{{- $http := dig "Http" "ShutdownTimeoutMs" 10000 .root.Values.configuration | int -}}
{{- $needed := add (div (add $http 999) 1000) 10 -}}
{{- if eq .component.values "toolExecutor" -}}
{{- $drain := dig "ToolExecution" "GracePeriodMs" 30000 .root.Values.configuration | int -}}
{{- $needed = add $needed (div (add $drain 999) 1000) -}}
{{- $given := .root.Values.toolExecutor.terminationGracePeriodSeconds -}}
{{- if not (kindIs "invalid" $given) -}}
{{- if lt (int $given) (int $needed) -}}
{{- fail (printf "toolExecutor.terminationGracePeriodSeconds is %d: it must be at least %d, which the executor may need to end with configuration.ToolExecution.GracePeriodMs." (int $given) (int $needed)) -}}
{{- end -}}
{{- $needed = $given -}}
{{- end -}}
{{- else -}}
{{- $needed = add $needed 5 -}}
{{- end -}}
{{- $needed | int -}}
{{- end -}}
