#!/usr/bin/env bash
# Builds the image from the packed package, pushes, tries and signs it: image.sh <file.tgz>. Only a signed image gets the tags that move.
# If the registry has this version already, the release was stopped later: the same image is signed again. Output: image.
set -euo pipefail
image=ghcr.io/${GITHUB_REPOSITORY_OWNER,,}/fundpress
find_digest() { docker buildx imagetools inspect "$image:$VERSION" --format '{{json .Manifest}}' | jq --raw-output .digest; }

if ! digest=$(find_digest 2>/dev/null); then
  context=$(mktemp -d)
  cp "$1" package-lock.json "$context"
  source=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY
  docker buildx build --push --tag "$image:$VERSION" --platform linux/amd64,linux/arm64 --provenance mode=max --sbom true \
    --build-arg "SOURCE=$source" --build-arg "VERSION=$VERSION" --build-arg "REVISION=$GITHUB_SHA" \
    --annotation "index:org.opencontainers.image.source=$source" \
    --file templates/container/Dockerfile "$context"
  digest=$(find_digest)
fi
# As it will run: with a read-only root, and the library for this processor.
docker run --rm --network none --read-only --tmpfs /tmp "$image@$digest" init --demo --funds 1 --years 1 --db /tmp/demo.sqlite
cosign sign --yes --recursive "$image@$digest"
if [ "$PRERELEASE" != true ]; then
  docker buildx imagetools create --tag "$image:${VERSION%.*}" --tag "$image:${VERSION%%.*}" "$image@$digest"
fi
printf 'image=%s\n' "$image@$digest" >>"$GITHUB_OUTPUT"
