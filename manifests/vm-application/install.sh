#!/bin/sh
# Install command of the VM Application: unpacks the package and waits for the verdict. Exit code 0: the node bootstrapped.
# The guest agent runs it in the folder it downloaded to; packageFileName and configFileName give the names below.
set -eu
folder=${CAPZ_INSTALL_FOLDER:-/opt/capz-bootstrap}
rm -rf "$folder.new"
mkdir -p "$folder.new"
# Minimal images have no unzip; the guest agent itself needs Python.
if command -v unzip >/dev/null; then unzip -q capz-bootstrap.zip -d "$folder.new"; else python3 -m zipfile -e capz-bootstrap.zip "$folder.new"; fi
chmod u+x "$folder.new/bin/capz-bootstrap"
# A run of the version before would lose its program under its feet, and this one would find it at work.
"$folder.new/bin/capz-bootstrap" end-run >/dev/null
rm -rf "$folder"
mv "$folder.new" "$folder"
settings=capz-bootstrap.json
if [ ! -s "$settings" ]; then
  settings=$folder/settings.json
  echo '{}' > "$settings"
fi
exec "$folder/bin/capz-bootstrap" run --quiet --settings "$settings"
