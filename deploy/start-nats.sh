#!/bin/sh
# Starts the NATS server of deploy/compose.yaml: its configuration takes passwords from the environment, in quotes, and
# Compose hands them over as files. Arguments go to nats-server.
set -eu

secrets=${AGENTSTRATION_SECRETS:-/run/secrets}
configuration=${AGENTSTRATION_NATS_CONFIG:-/etc/nats/nats-server.conf}

for user in provision management-api tool-executor governance-projector requester-acme-demo; do
  variable=AGENTSTRATION_NATS_PASSWORD_$(echo "$user" | tr 'a-z-' 'A-Z_')
  password=$(cat "$secrets/nats-password-$user")
  export "$variable=\"$password\""
done

exec nats-server --config "$configuration" "$@"
