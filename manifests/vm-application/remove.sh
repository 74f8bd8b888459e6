#!/bin/sh
# Remove command of the VM Application. State of the extension, should it be on the machine too, lies elsewhere and stays.
set -eu
folder=${CAPZ_INSTALL_FOLDER:-/opt/capz-bootstrap}
# A run at work ends with what it started. A program that is half gone cannot do it, and must not keep the rest from being removed.
[ ! -e "$folder/bin/capz-bootstrap" ] || "$folder/bin/capz-bootstrap" end-run --forget >/dev/null || true
# One that was only asked to end may still write for a moment.
for _ in 1 2 3 4 5; do
  rm -rf "$folder" "$folder.new" "${CAPZ_BOOTSTRAP_ROOT:-}/var/lib/capz-bootstrap/run" && exit 0
  sleep 1
done
exit 1
