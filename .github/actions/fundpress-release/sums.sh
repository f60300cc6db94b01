#!/usr/bin/env bash
# Prints one digest of all files in a folder, by name and content: sums.sh <folder>.
set -euo pipefail
cd "$1"
find . -type f -print0 | LC_ALL=C sort --zero-terminated | xargs --null sha256sum | sha256sum | cut -d ' ' -f 1
