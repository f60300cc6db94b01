#!/usr/bin/env bash
# Runs fundpress: `bash run.sh COMMAND …`, up to ATTEMPTS times (once, unless it is set) with RETRY_SECONDS between them. If it
# fails without an output `reason` of its own, its last line on stderr becomes that output, for the issue, and an annotation.
set -uo pipefail
here=$(dirname "$0")
# shellcheck source=/dev/null
. "$here/keys.sh"
unset KEY_ID SECRET_KEY SESSION_TOKEN
said=$(mktemp)
exec 3>&1
for ((attempt = 1; ; attempt++)); do
  code=0
  node "$here/../../../src/fundpress.mjs" "$@" 2>&1 >&3 | tee "$said" >&2 || code=$?
  # Wrong settings (exit code 2) stay wrong, and so does what a guard (3) or the checks refuse. If ATTEMPTS is not a number,
  # there is one attempt.
  if [ "$code" -ne 1 ] || grep -q '^failed-step=check$' "$GITHUB_OUTPUT"; then break; fi
  if [ "$attempt" -lt "${ATTEMPTS:-1}" ]; then :; else break; fi
  echo "Attempt $attempt of $ATTEMPTS failed. The next one begins in ${RETRY_SECONDS:-60} s."
  sleep "${RETRY_SECONDS:-60}"
done
if [ "$code" -ne 0 ] && ! grep -q '^reason=.' "$GITHUB_OUTPUT"; then
  reason=$(tail -n 1 "$said")
  echo "::error title=fundpress::${reason//%/%25}"
  printf 'reason=%s\n' "$reason" >> "$GITHUB_OUTPUT"
fi
rm "$said"
exit "$code"
