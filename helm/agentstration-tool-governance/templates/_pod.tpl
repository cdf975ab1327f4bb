{{/* Where secrets are found: every one is a file. Takes { root, component }. */}}
{{- define "tool-governance.env" -}}
{{- $nats := index .root.Values.secrets.nats .component.values -}}
- { name: NODE_ENV, value: production }
- { name: AGENTSTRATION_CONFIG, value: /etc/agentstration/agentstration.json }
- { name: Agentstration__Database__UrlFile, value: /etc/agentstration/secrets/database-url }
{{- with .root.Values.secrets.nats.method }}
{{- if eq . "credentials" }}
- { name: Agentstration__Nats__CredentialsFile, value: /etc/agentstration/secrets/nats }
{{- else if eq . "nkey" }}
- { name: Agentstration__Nats__NKeySeedFile, value: /etc/agentstration/secrets/nats }
{{- else if eq . "token" }}
- { name: Agentstration__Nats__TokenFile, value: /etc/agentstration/secrets/nats }
{{- else if eq . "user" }}
- { name: Agentstration__Nats__User, value: {{ $nats.user | quote }} }
- { name: Agentstration__Nats__PasswordFile, value: /etc/agentstration/secrets/nats }
{{- end }}
{{- end }}
{{- with .root.Values.secrets.nats.tls }}
{{- if .existingSecret }}
{{- if ne (empty .certKey) (empty .keyKey) }}{{ fail "secrets.nats.tls.certKey and secrets.nats.tls.keyKey go together: set both or neither." }}{{ end }}
- { name: Agentstration__Nats__Tls__CaFile, value: /etc/agentstration/nats-tls/ca.crt }
{{- if .certKey }}
- { name: Agentstration__Nats__Tls__CertFile, value: /etc/agentstration/nats-tls/tls.crt }
- { name: Agentstration__Nats__Tls__KeyFile, value: /etc/agentstration/nats-tls/tls.key }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Takes { root, component, configMap }. */}}
{{- define "tool-governance.volumes" -}}
{{- $database := index .root.Values.secrets.database .component.values -}}
{{- $nats := index .root.Values.secrets.nats .component.values -}}
- name: configuration
  configMap: { name: {{ .configMap }} }
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ $database.existingSecret }}
          items: [{ key: {{ $database.key }}, path: database-url }]
      {{- if ne .root.Values.secrets.nats.method "none" }}
      - secret:
          name: {{ $nats.existingSecret }}
          items: [{ key: {{ $nats.key }}, path: nats }]
      {{- end }}
{{- with .root.Values.secrets.nats.tls }}
{{- if .existingSecret }}
- name: nats-tls
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
    items:
      - { key: {{ .caKey }}, path: ca.crt }
      {{- if .certKey }}
      - { key: {{ .certKey }}, path: tls.crt }
      - { key: {{ .keyKey }}, path: tls.key }
      {{- end }}
{{- end }}
{{- end }}
{{- if and (eq .component.values "toolExecutor") .root.Values.secrets.toolProviders.existingSecret }}
- name: tool-providers
  secret:
    secretName: {{ .root.Values.secrets.toolProviders.existingSecret }}
    defaultMode: 0440
{{- end }}
- name: scratch
  emptyDir: { sizeLimit: 256Mi }
{{- end -}}

{{- define "tool-governance.volumeMounts" -}}
- { name: configuration, mountPath: /etc/agentstration/agentstration.json, subPath: agentstration.json, readOnly: true }
- { name: secrets, mountPath: /etc/agentstration/secrets, readOnly: true }
{{- if .root.Values.secrets.nats.tls.existingSecret }}
- { name: nats-tls, mountPath: /etc/agentstration/nats-tls, readOnly: true }
{{- end }}
{{- if and (eq .component.values "toolExecutor") .root.Values.secrets.toolProviders.existingSecret }}
- { name: tool-providers, mountPath: /etc/agentstration/tool-providers, readOnly: true }
{{- end }}
- { name: scratch, mountPath: /tmp }
{{- end -}}

{{/* The `restricted` Pod Security Standard. */}}
{{- define "tool-governance.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "tool-governance.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
