#!/usr/bin/env bash
# The release on GitHub: a draft that gets its files, then published: release.sh <notes> <file …>. If it was stopped, it goes on.
set -euo pipefail
notes=$1
shift
export GH_REPO=$GITHUB_REPOSITORY tag=$GITHUB_REF_NAME
is_draft=$(gh release list --limit 100 --json tagName,isDraft --jq '.[] | select(.tagName == env.tag) | .isDraft')

if [ "$is_draft" = false ]; then
  echo "The release $tag is published already."
  exit
fi
if [ -z "$is_draft" ]; then
  gh release create "$tag" --draft --verify-tag --prerelease="$PRERELEASE" --title "$tag" --notes-file "$notes"
fi
gh release upload "$tag" --clobber "$@"
gh release edit "$tag" --draft=false
