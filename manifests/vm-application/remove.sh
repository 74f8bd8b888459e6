#!/bin/sh
# Remove command of the VM Application. State of the extension, should it be on the machine too, lies elsewhere and stays.
set -eu
rm -rf "${CAPZ_INSTALL_FOLDER:-/opt/capz-bootstrap}" "${CAPZ_BOOTSTRAP_ROOT:-}/var/lib/capz-bootstrap/run"
