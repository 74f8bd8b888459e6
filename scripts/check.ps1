# Tells whether this Windows node has bootstrapped: the twin of check.sh, same exit codes, stages and keys.
# Exit 0 = yes, 75 = not yet, 1 = failed for good. Windows PowerShell 5.1 and PowerShell 7 both run it.
# With CAPZ_ROOT set (tests), what the registry and the service manager say comes from files below that folder.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2.0

$rootIsGiven = [bool]$env:CAPZ_ROOT
$root = "$env:SystemDrive"
if ($rootIsGiven) { $root = $env:CAPZ_ROOT.TrimEnd('/', '\') }
$answer = New-Object System.Collections.Specialized.OrderedDictionary
$remarks = New-Object System.Collections.ArrayList

# ---- what a test replaces by files ---------------------------------------------------------------------------------

# Lines name=value of <root>/capz-facts/<file>.
function Read-Facts([string]$file) {
  $facts = @{}
  $path = "$root/capz-facts/$file"
  if (Test-Path -LiteralPath $path) {
    foreach ($line in [System.IO.File]::ReadAllLines($path)) {
      $at = $line.IndexOf('=')
      if ($at -gt 0) { $facts[$line.Substring(0, $at)] = $line.Substring($at + 1) }
    }
  }
  return $facts
}

function Get-ServiceState([string]$name) {
  if ($rootIsGiven) {
    $facts = Read-Facts 'services'
    if ($facts.ContainsKey($name)) { return $facts[$name] }
    return 'Missing'
  }
  $service = Get-Service -Name $name -ErrorAction SilentlyContinue
  if ($null -eq $service) { return 'Missing' }
  return [string]$service.Status
}

# 1 = done, 2 = again at the next boot; kept by cloudbase-init per instance id.
function Get-PluginState([string]$instanceId, [string]$plugin) {
  if ($rootIsGiven) { return (Read-Facts 'plugins')["$instanceId/$plugin"] }
  $key = "HKLM:\SOFTWARE\Cloudbase Solutions\Cloudbase-Init\$instanceId\Plugins"
  $item = Get-ItemProperty -LiteralPath $key -ErrorAction SilentlyContinue
  if ($null -eq $item) { return $null }
  $property = $item.PSObject.Properties[$plugin]
  if ($null -eq $property) { return $null }
  return [string]$property.Value
}

# When Windows of this disk was set up: sysprep's first boot sets it anew, so it parts an image from its VMs.
function Get-InstallTime {
  if ($rootIsGiven) { return ConvertFrom-Seconds (Read-Facts 'times')['install'] }
  $item = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
  return ConvertFrom-Seconds $item.InstallDate
}

function Get-BootTime {
  if ($rootIsGiven) { return ConvertFrom-Seconds (Read-Facts 'times')['boot'] }
  return (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime()
}

function ConvertFrom-Seconds($seconds) {
  return (New-Object System.DateTime(1970, 1, 1, 0, 0, 0, [System.DateTimeKind]::Utc)).AddSeconds([double]$seconds)
}

function Get-HostName {
  if ($rootIsGiven) { return (Read-Facts 'times')['hostname'] }
  return [System.Net.Dns]::GetHostName()
}

# ---- answers -------------------------------------------------------------------------------------------------------

function Complete-Check([int]$code, [string]$stage, [string]$reason, [string]$message) {
  $answer['stage'] = $stage
  if ($reason) { $answer['reason'] = $reason }
  if ($message) { $answer['message'] = ($message -replace '[\r\n]+', ' ') }
  if ($remarks.Count -gt 0) { $answer['remark'] = ($remarks -join '; ') }
  # A start of PowerShell is dear; file watches wake the check before this time.
  $answer['next-check-seconds'] = '15'
  $text = ''
  foreach ($key in $answer.Keys) { $text += "$key=$($answer[$key])`n" }
  if ($env:CAPZ_CHECK_OUTPUT) { [System.IO.File]::WriteAllText($env:CAPZ_CHECK_OUTPUT, $text) } else { [Console]::Out.Write($text) }
  exit $code
}

function Complete-Passed { Complete-Check 0 'bootstrapped' '' '' }
function Complete-Waiting([string]$stage, [string]$message) { Complete-Check 75 $stage '' $message }
function Complete-Failed([string]$stage, [string]$reason, [string]$message) { Complete-Check 1 $stage $reason $message }

# ---- cloudbase-init ------------------------------------------------------------------------------------------------

# Reads the log from its beginning to its end: the newest run, its instance, and when that instance ran its user data.
function Read-CloudbaseInit {
  $run = @{ Exists = $false; Began = $null; Instance = ''; UserDataAt = $null; Done = $false; Failure = '' }
  $path = "$root/Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log"
  if (-not (Test-Path -LiteralPath $path)) { return $run }
  $run.Exists = $true
  foreach ($line in Get-Content -LiteralPath $path -Tail 5000) { Read-LogLine $run $line }
  return $run
}

function Read-LogLine($run, [string]$line) {
  if ($line -match 'Cloudbase-Init version:') {
    $run.Began = ConvertFrom-LogTime $line
    $run.Done = $false
    $run.Failure = ''
  } elseif ($line -match 'Instance id: (\S+)') {
    if ($run.Instance -ne $Matches[1]) { $run.UserDataAt = $null }
    $run.Instance = $Matches[1]
  } elseif ($line -match "Executing plugin 'UserDataPlugin'") {
    $run.UserDataAt = ConvertFrom-LogTime $line
  } elseif ($line -match 'Plugins execution done') {
    $run.Done = $true
  } elseif ($line -match "plugin 'UserDataPlugin' failed with error.*") {
    $run.Failure = $Matches[0]
  } elseif ($line -match 'User_data script ended with return code: (-?\d+)') {
    # 1001 to 1003 ask for a restart or another run; they are no failure.
    if (@('0', '1001', '1002', '1003') -notcontains $Matches[1]) { $run.Failure = $Matches[0] }
  }
}

# Log lines begin with local time.
function ConvertFrom-LogTime([string]$line) {
  if ($line -notmatch '^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)') { return $null }
  $culture = [System.Globalization.CultureInfo]::InvariantCulture
  return [System.DateTime]::ParseExact($Matches[1], 'yyyy-MM-dd HH:mm:ss', $culture, [System.Globalization.DateTimeStyles]::AssumeLocal).ToUniversalTime()
}

# ---- the sentinel: it lies on disk, so it outlives restarts and is captured into images --------------------------------

# An empty text when the sentinel is of this VM and this bootstrap; else why it does not count.
function Get-SentinelDoubt($run, [string]$path) {
  $written = (Get-Item -LiteralPath $path).LastWriteTimeUtc
  if ($written -lt (Get-InstallTime)) { return 'it is older than the set-up of Windows on this VM' }
  if ($null -ne $run.UserDataAt) {
    if ($written -lt $run.UserDataAt.AddSeconds(-2)) { return 'it is older than the user data of this instance' }
    return ''
  }
  if ($run.Instance -and (Get-PluginState $run.Instance 'UserDataPlugin') -ne '1') {
    return "cloudbase-init has not run the user data of instance $($run.Instance)"
  }
  return ''
}

# ---- health --------------------------------------------------------------------------------------------------------

# An empty text for a node that has joined in its own name; else what is missing.
function Get-HealthDoubt {
  $certificate = "$root/var/lib/kubelet/pki/kubelet-client-current.pem"
  if (-not (Test-Path -LiteralPath "$root/etc/kubernetes/kubelet.conf")) { return 'C:\etc\kubernetes\kubelet.conf does not exist' }
  if (-not (Test-Path -LiteralPath $certificate)) { return 'C:\var\lib\kubelet\pki\kubelet-client-current.pem does not exist' }
  $name = Get-CertificateName $certificate
  if ($name -ne (Get-HostName)) { return "the kubelet's client certificate is of node $name" }
  $kubelet = Get-ServiceState 'kubelet'
  if ($kubelet -ne 'Running') { return "the service kubelet is $kubelet" }
  return ''
}

function Get-CertificateName([string]$path) {
  $text = [System.IO.File]::ReadAllText($path)
  if ($text -notmatch '(?s)-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----') { return 'unknown' }
  $bytes = [System.Convert]::FromBase64String(($Matches[1] -replace '\s', ''))
  $subject = (New-Object System.Security.Cryptography.X509Certificates.X509Certificate2(, $bytes)).Subject
  if ($subject -match 'CN=system:node:([^,\s]+)') { return $Matches[1] }
  return 'unknown'
}

# ---- judging -------------------------------------------------------------------------------------------------------

function Invoke-Check {
  $run = Read-CloudbaseInit
  $answer['providers'] = Get-Providers
  $service = Get-ServiceState 'cloudbase-init'
  # Every boot runs cloudbase-init; until it has, the log speaks of an earlier boot, perhaps of another VM.
  $ranInThisBoot = $run.Exists -and $null -ne $run.Began -and $run.Began -ge (Get-BootTime).AddSeconds(-5)
  if (-not $ranInThisBoot -and @('Running', 'StartPending') -contains $service) {
    Complete-Waiting 'waiting-for-cloudbase-init' ''
  }
  Test-Sentinel $run
  if ($service -ne 'Running' -or $run.Done) { Test-Finished $run }
  $stage = 'cloudbase-init'
  if ($null -ne $run.UserDataAt) { $stage = Get-UserDataStage }
  Complete-Waiting $stage ''
}

function Get-Providers {
  if ($env:CAPZ_PROVIDER -and $env:CAPZ_PROVIDER -ne 'auto') { return $env:CAPZ_PROVIDER }
  $found = @()
  if ((Test-Path "$root/run/kubeadm") -or (Test-Path "$root/var/lib/kubelet/kubeadm-flags.env")) { $found += 'kubeadm' }
  if ((Test-Path "$root/bootstrap/k0s_install.ps1") -or (Test-Path "$root/var/lib/k0s")) { $found += 'k0s' }
  if ($found.Count -eq 0) { return 'custom' }
  return ($found -join ',')
}

function Test-Sentinel($run) {
  $path = "$root/run/cluster-api/bootstrap-success.complete"
  if (-not (Test-Path -LiteralPath $path)) { return }
  $doubt = Get-SentinelDoubt $run $path
  if (-not $doubt) {
    $answer['sentinel'] = 'fresh'
    if ($run.Failure) { [void]$remarks.Add("cloudbase-init.log says beside the sentinel: $($run.Failure)") }
    Complete-Passed
  }
  $answer['sentinel'] = 'stale'
  [void]$remarks.Add("C:\run\cluster-api\bootstrap-success.complete does not count: $doubt")
}

function Get-UserDataStage {
  if (Test-Path "$root/etc/kubernetes/bootstrap-kubelet.conf") { return 'kubelet-tls-bootstrap' }
  if (Test-Path "$root/run/kubeadm/kubeadm-join-config.yaml") { return 'kubeadm-join' }
  return 'user-data'
}

# cloudbase-init has ended in this boot, or is not there, and no sentinel counts.
function Test-Finished($run) {
  if ($run.Failure) { Complete-Failed 'cloudbase-init-finished' 'CloudbaseInitFailed' "cloudbase-init.log says: $($run.Failure)" }
  $doubt = Get-HealthDoubt
  if (-not $doubt) {
    [void]$remarks.Add('no sentinel counts: kubelet.conf, the certificate of this node and a running kubelet prove that it joined')
    Complete-Passed
  }
  if (-not $run.Done) { Complete-Waiting 'waiting-for-sentinel' $doubt }
  if (Test-Path -LiteralPath "$root/etc/kubernetes/kubelet.conf") { Complete-Waiting 'waiting-for-kubelet' $doubt }
  if ((',' + $answer['providers'] + ',') -notlike '*,kubeadm,*') { Complete-Waiting 'waiting-for-sentinel' $doubt }
  # A restart that cloudbase-init asked for shows as 2: the user data runs again.
  if ((Get-PluginState $run.Instance 'UserDataPlugin') -eq '2') { Complete-Waiting 'waiting-for-restart' '' }
  Complete-Failed 'cloudbase-init-finished' 'KubeadmFailed' 'cloudbase-init finished without the sentinel, and C:\etc\kubernetes\kubelet.conf does not exist.'
}

Invoke-Check
