# Sourced: gives the key of the step to the SDK. Without one, the credentials of the role or of the environment stay.
# shellcheck shell=bash
if [ -n "${KEY_ID:-}" ]; then
  export AWS_ACCESS_KEY_ID=$KEY_ID AWS_SECRET_ACCESS_KEY=${SECRET_KEY:-} AWS_SESSION_TOKEN=${SESSION_TOKEN:-}
fi
