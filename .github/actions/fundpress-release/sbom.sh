#!/usr/bin/env bash
# Lists what the package is made of, as CycloneDX, with the versions of package-lock.json: sbom.sh <folder>.
set -euo pipefail
name=$(jq -r .name package.json)
file=$1/fundpress-$(jq -r .version package.json).cdx.json
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# Made in a folder without packages for tests: npm 11 names the package after its folder, and with `--omit dev` it also omits
# what both the program and a package for tests need.
mkdir -p "$temp/$name"
jq 'del(.devDependencies, .scripts)' package.json >"$temp/$name/package.json"
cp package-lock.json "$temp/$name/"
(
  cd "$temp/$name"
  npm install --package-lock-only --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  npm sbom --package-lock-only --sbom-format cyclonedx --loglevel=error
) >"$file"

# Lists that say nothing of a package are of no use to whoever looks for a vulnerability or a licence.
wrong=$(jq -r --slurpfile package package.json '
  $package[0] as $package | [.components[].name] as $names |
  (.metadata.component | select(.name != $package.name or .version != $package.version) | "it is of \(.name) \(.version)"),
  ($package.dependencies | keys[] | select(IN($names[]) | not) | "\(.) is missing"),
  (.components[] | select(.version == null or .purl == null or .hashes == null) | "\(.name) has no version, address or digest"),
  (.components[] | select(.licenses == null) | "\(.name) has no licence")' "$file")
[ -z "$wrong" ] && exit
printf '::error title=release::the list of packages is incomplete: %s\n' "${wrong//$'\n'/; }"
exit 1
