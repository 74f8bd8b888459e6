#!/bin/sh
# Installs PowerShell 7 as a .NET tool into .cache/pwsh, for the tests that run the PowerShell of the handler and of the pages.
# Needs the .NET SDK and a package source that holds PowerShell; says so and fails where there is none.
set -eu
version=${1:-7.5.4}
folder=$(cd "$(dirname "$0")/../.." && pwd)/.cache/pwsh
if [ -x "$folder/pwsh" ]; then
  echo "PowerShell is in $folder."
  exit 0
fi
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
if ! command -v dotnet >/dev/null; then
  echo "install-pwsh: cannot install PowerShell $version: there is no .NET SDK (dotnet) on the PATH. Install it first." >&2
  exit 1
fi
if ! dotnet tool install PowerShell --version "$version" --tool-path "$folder"; then
  echo "install-pwsh: the package source has no PowerShell $version. Without it these tests are skipped." >&2
  exit 1
fi
"$folder/pwsh" -NoLogo -NoProfile -Command '$PSVersionTable.PSVersion.ToString()'
