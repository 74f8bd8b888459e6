#!/bin/sh
# For a managed Run Command on a Linux VM without the extension: fetches the package, checks it and prints the verdict.
# Parameters of the run command arrive as variables. packageSha256 stands in SHA256SUMS of the release.
set -eu
# 3 is "not checked"; 1 and 2, with which a shell and these programs end, would be "failed to bootstrap" and "deadline reached".
if [ -z "${packageUri:-}" ] || [ -z "${packageSha256:-}" ]; then
  echo "parameters packageUri (https address of the Linux zip) and packageSha256 (its sha256) are both needed" >&2
  exit 3
fi
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
curl --fail --silent --show-error --location --proto '=https' --max-time 600 --output "$work/package.zip" "$packageUri" || exit 3
echo "$packageSha256  $work/package.zip" | sha256sum --check --quiet || exit 3
python3 -m zipfile -e "$work/package.zip" "$work/package" || exit 3
echo "{\"timeoutSeconds\":\"${timeoutSeconds:-1200}\"}" > "$work/settings.json" || exit 3
/bin/sh "$work/package/bin/capz-bootstrap" run --brief --settings "$work/settings.json"
