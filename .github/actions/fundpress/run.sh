#!/usr/bin/env bash
# Runs fundpress: `bash run.sh COMMAND …`. If it fails, its last line on stderr becomes the step's output `reason`, for the
# issue.
set -uo pipefail
said=$(mktemp)
exec 3>&1
code=0
node "$(dirname "$0")/../../../src/cli/fundpress.mjs" "$@" 2>&1 >&3 | tee "$said" >&2 || code=$?
[ "$code" -eq 0 ] || printf 'reason=%s\n' "$(tail -n 1 "$said")" >> "$GITHUB_OUTPUT"
rm "$said"
exit "$code"
