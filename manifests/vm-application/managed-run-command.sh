#!/bin/sh
# For a managed Run Command on a Linux VM without the extension: fetches the package, checks it and prints the verdict.
# Parameters of the run command arrive as variables. packageSha256 stands in SHA256SUMS of the release.
set -eu
: "${packageUri:?address of the Linux zip}" "${packageSha256:?sha256 of the zip}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# 3 is "not checked"; 1, with which these programs end, would be "the node failed to bootstrap".
curl --fail --silent --show-error --location --proto '=https' --max-time 600 --output "$work/package.zip" "$packageUri" || exit 3
echo "$packageSha256  $work/package.zip" | sha256sum --check --quiet || exit 3
python3 -m zipfile -e "$work/package.zip" "$work/package" || exit 3
echo "{\"timeoutSeconds\":\"${timeoutSeconds:-1200}\"}" > "$work/settings.json"
/bin/sh "$work/package/bin/capz-bootstrap" run --brief --settings "$work/settings.json"
