# For a managed Run Command on a Windows VM without the extension: fetches the package, checks it and prints the verdict.
# Parameters of the run command arrive by name. packageSha256 stands in SHA256SUMS of the release.
# Written to what Windows PowerShell 5.1 understands.
param(
  [Parameter(Mandatory = $true)] [string] $packageUri,
  [Parameter(Mandatory = $true)] [string] $packageSha256,
  [string] $timeoutSeconds = '1200'
)
$ErrorActionPreference = 'Stop'
# A progress bar that nobody sees makes a download many times slower.
$ProgressPreference = 'SilentlyContinue'
if ($packageUri -notmatch '^https://') { throw 'packageUri must begin with https://' }
if ($timeoutSeconds -notmatch '^[0-9]+$') { throw 'timeoutSeconds must be a number of seconds' }
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
# Below Program Files: in the folder for temporary files every user may put a file beside the program.
$work = Join-Path $env:ProgramFiles ('capz-bootstrap-' + [Guid]::NewGuid().ToString('N'))
New-Item -ItemType Directory -Path $work | Out-Null
$code = 3
try {
  $zip = Join-Path $work 'package.zip'
  Invoke-WebRequest -UseBasicParsing -Uri $packageUri -OutFile $zip -TimeoutSec 600
  $digest = (Get-FileHash -Algorithm SHA256 -LiteralPath $zip).Hash
  if ($digest -ne $packageSha256) { throw "The package has the sha256 $digest, wanted is $packageSha256" }
  $package = Join-Path $work 'package'
  New-Item -ItemType Directory -Path $package | Out-Null
  & (Join-Path $env:SystemRoot 'System32\tar.exe') -xf $zip -C $package
  if ($LASTEXITCODE -ne 0) { throw "The package cannot be unpacked: tar.exe ended with $LASTEXITCODE" }
  $settings = Join-Path $work 'settings.json'
  [IO.File]::WriteAllText($settings, '{"timeoutSeconds":"' + $timeoutSeconds + '"}')
  & (Join-Path $package 'bin\capz-bootstrap.cmd') run --brief --settings $settings
  $code = $LASTEXITCODE
} catch {
  # An error that leaves a script ends it with 1, which is "the node failed to bootstrap". 3 is "not checked".
  [Console]::Error.WriteLine([string] $_)
} finally {
  Remove-Item -Recurse -Force -LiteralPath $work -ErrorAction SilentlyContinue
}
exit $code
