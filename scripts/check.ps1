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
  if ([string]$service.Status -eq 'Stopped' -and [string]$service.StartType -eq 'Disabled') { return 'Disabled' }
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
  # A full disk takes the words, not the verdict.
  try {
    if ($env:CAPZ_CHECK_OUTPUT) { [System.IO.File]::WriteAllText($env:CAPZ_CHECK_OUTPUT, $text) } else { [Console]::Out.Write($text) }
  } catch { [Console]::Error.WriteLine($_.Exception.Message) }
  exit $code
}

function Complete-Passed { Complete-Check 0 'bootstrapped' '' '' }
function Complete-Waiting([string]$stage, [string]$message) { Complete-Check 75 $stage '' $message }

# A defect of this script, or a machine that cannot be looked at, is never a verdict.
function Complete-Undecided([string]$problem) { Complete-Check 75 'check-incomplete' '' "The check could not look at everything: $problem" }

function Complete-Failed([string]$stage, [string]$reason, [string]$message) { Complete-Check 1 $stage $reason $message }

# ---- cloudbase-init ------------------------------------------------------------------------------------------------

# What keeps user data from running at all, though cloudbase-init itself goes on and ends well.
$troublePattern = '(Could not process part type|Processing plugin (runcmd|write_files) failed|An error occurred during (user_data|runcmd|part) execution|Unsupported user_data format).*'
$logPattern = "^\d{4}-.*(Cloudbase-Init version:|Instance id: |'UserDataPlugin'|Plugins execution done|User_data script ended|$troublePattern)|error execution phase|\[ERROR "

# Reads the log from its beginning to its end: the newest run, its instance, and when that instance ran its user data.
function Read-CloudbaseInit {
  $run = @{ Began = $null; InThisBoot = $false; Instance = ''; IsNamed = $false; UserDataAt = $null; Done = $false; Failure = ''; Trouble = ''; KubeadmError = '' }
  $path = "$root/Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log"
  if (Test-Path -LiteralPath $path) {
    # The user data's output makes up most of the log: what has no part in the answer is left out by one pattern.
    $lines = Get-Content -LiteralPath $path -Tail 50000 -ReadCount 0
    foreach ($line in @($lines) -match $logPattern) { Read-LogLine $run $line }
  }
  $run.InThisBoot = $null -ne $run.Began -and $run.Began -ge (Get-BootTime).AddSeconds(-5)
  return $run
}

# Only lines that begin with a time are cloudbase-init's own; the others are output of the user data.
function Read-LogLine($run, [string]$line) {
  if ($line -notmatch '^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d') {
    if (-not $run.KubeadmError) { $run.KubeadmError = $line.Trim() }
  } elseif ($line -match 'Cloudbase-Init version:') {
    $run.Began = ConvertFrom-LogTime $line
    $run.IsNamed = $false
    $run.Done = $false
    $run.Failure = ''
    $run.Trouble = ''
    $run.KubeadmError = ''
  } elseif ($line -match 'Instance id: (\S+)') {
    if ($run.Instance -ne $Matches[1]) { $run.UserDataAt = $null }
    $run.Instance = $Matches[1]
    $run.IsNamed = $true
  } elseif ($line -match "Executing plugin 'UserDataPlugin'") {
    $run.UserDataAt = ConvertFrom-LogTime $line
    $run.KubeadmError = ''
  } elseif ($line -match 'Plugins execution done') {
    $run.Done = $true
  } elseif ($line -match "plugin 'UserDataPlugin' failed with error.*") {
    $run.Failure = $Matches[0]
  } elseif ($line -match 'User_data script ended with return code: (-?\d+)') {
    # 1001 to 1003 ask for a restart or another run; they are no failure.
    if (@('0', '1001', '1002', '1003') -notcontains $Matches[1]) { $run.Failure = $Matches[0] }
  } elseif ($line -match $troublePattern) {
    if (-not $run.Trouble) { $run.Trouble = $Matches[0] }
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
  # Until cloudbase-init has named the instance of this boot, the newest one in the log may be the donor's.
  if (-not ($run.InThisBoot -and $run.IsNamed) -and $written -lt (Get-BootTime)) { return 'it is of an earlier boot, and cloudbase-init has not named the instance of this one' }
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

$clientCertificate = "$root/var/lib/kubelet/pki/kubelet-client-current.pem"

# An empty text for a node that has joined in its own name; else what is missing.
function Get-HealthDoubt($run) {
  if (-not (Test-Path -LiteralPath "$root/etc/kubernetes/kubelet.conf")) { return 'C:\etc\kubernetes\kubelet.conf does not exist' }
  if (-not (Test-Path -LiteralPath $clientCertificate)) { return 'C:\var\lib\kubelet\pki\kubelet-client-current.pem does not exist' }
  $stranger = Get-Stranger $run
  if ($stranger) { return "the kubelet's client certificate is of node $stranger" }
  $kubelet = Get-ServiceState 'kubelet'
  if ($kubelet -ne 'Running') { return "the service kubelet is $kubelet" }
  return ''
}

# Whose client certificate this is, if not this node's. A node may be named otherwise than its host: then its certificate
# was made after its user data began.
function Get-Stranger($run) {
  $name = Get-CertificateName $clientCertificate
  if ($name -eq (Get-HostName)) { return '' }
  if ($name -ne 'unknown' -and $null -ne $run.UserDataAt -and (Get-Item -LiteralPath $clientCertificate).LastWriteTimeUtc -ge $run.UserDataAt) { return '' }
  return $name
}

# A file that is just being written has no name yet.
function Get-CertificateName([string]$path) {
  $text = [System.IO.File]::ReadAllText($path)
  if ($text -notmatch '(?s)-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----') { return 'unknown' }
  try {
    $bytes = [System.Convert]::FromBase64String(($Matches[1] -replace '\s', ''))
    $subject = (New-Object System.Security.Cryptography.X509Certificates.X509Certificate2(, $bytes)).Subject
  } catch { return 'unknown' }
  if ($subject -match 'CN=system:node:([^,\s]+)') { return $Matches[1] }
  return 'unknown'
}

# ---- judging -------------------------------------------------------------------------------------------------------

function Invoke-Check {
  $run = Read-CloudbaseInit
  $answer['providers'] = Get-Providers
  $service = Get-ServiceState 'cloudbase-init'
  # Every boot runs cloudbase-init; until it has, the log speaks of an earlier boot, perhaps of another VM.
  if (-not $run.InThisBoot -and (Test-MayBegin $service)) { Complete-Waiting 'waiting-for-cloudbase-init' '' }
  Test-Sentinel $run
  if ($service -ne 'Running' -or $run.Done) { Test-Finished $run }
  $stage = 'cloudbase-init'
  if ($null -ne $run.UserDataAt) { $stage = Get-UserDataStage }
  Complete-Waiting $stage ''
}

# A service that starts by itself shows as stopped until Windows comes to it.
function Test-MayBegin([string]$service) {
  if (@('Running', 'StartPending') -contains $service) { return $true }
  return $service -eq 'Stopped' -and ([System.DateTime]::UtcNow - (Get-BootTime)).TotalMinutes -lt 10
}

function Get-Providers {
  if ($env:CAPZ_PROVIDER -and $env:CAPZ_PROVIDER -ne 'auto') { return $env:CAPZ_PROVIDER }
  $found = @()
  if ((Test-Path -LiteralPath "$root/run/kubeadm") -or (Test-Path -LiteralPath "$root/var/lib/kubelet/kubeadm-flags.env")) { $found += 'kubeadm' }
  if ((Test-Path -LiteralPath "$root/bootstrap/k0s_install.ps1") -or (Test-Path -LiteralPath "$root/var/lib/k0s")) { $found += 'k0s' }
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
  if (Test-Path -LiteralPath "$root/etc/kubernetes/bootstrap-kubelet.conf") { return 'kubelet-tls-bootstrap' }
  if (Test-Path -LiteralPath "$root/run/kubeadm/kubeadm-join-config.yaml") { return 'kubeadm-join' }
  return 'user-data'
}

# cloudbase-init has ended or is not there, and no sentinel counts. What it said in an earlier boot fails nothing.
function Test-Finished($run) {
  $ended = $run.Done -and $run.InThisBoot
  if ($run.Failure -and $run.InThisBoot) { Complete-Failed 'cloudbase-init-finished' 'CloudbaseInitFailed' (Get-Words $run "cloudbase-init.log says: $($run.Failure)") }
  $doubt = Get-HealthDoubt $run
  if (-not $doubt) {
    [void]$remarks.Add('no sentinel counts: kubelet.conf, the certificate of this node and a running kubelet prove that it joined')
    Complete-Passed
  }
  if (-not $ended) { Complete-Waiting 'waiting-for-sentinel' $doubt }
  # A restart that cloudbase-init asked for shows as 2: the user data runs again.
  if ((Get-PluginState $run.Instance 'UserDataPlugin') -eq '2') { Complete-Waiting 'waiting-for-restart' '' }
  if ($run.Trouble) { Complete-Failed 'cloudbase-init-finished' 'CloudbaseInitFailed' (Get-Words $run "cloudbase-init.log says: $($run.Trouble)") }
  if ($answer['providers'] -eq 'none') { Complete-Passed }
  if (Test-Path -LiteralPath "$root/etc/kubernetes/kubelet.conf") { Test-Unhealthy $run $doubt }
  if ((',' + $answer['providers'] + ',') -notlike '*,kubeadm,*') { Complete-Waiting 'waiting-for-sentinel' $doubt }
  Complete-Failed 'cloudbase-init-finished' 'KubeadmFailed' (Get-Words $run 'cloudbase-init finished without the sentinel, and C:\etc\kubernetes\kubelet.conf does not exist.')
}

# The certificate of another node, and no user data of this instance that could replace it: it stays.
function Test-Unhealthy($run, [string]$doubt) {
  if ($null -eq $run.UserDataAt -and (Test-Path -LiteralPath $clientCertificate)) {
    $stranger = Get-Stranger $run
    if ($stranger -and $stranger -ne 'unknown') {
      Complete-Failed 'cloudbase-init-finished' 'ForeignNodeIdentity' "The kubelet's client certificate belongs to node ${stranger}: this machine was cloned from a bootstrapped one, and cloudbase-init finished without running user data."
    }
  }
  Complete-Waiting 'waiting-for-kubelet' $doubt
}

function Get-Words($run, [string]$words) {
  if ($run.KubeadmError) { return "$words; kubeadm said: $($run.KubeadmError)" }
  return $words
}

try { Invoke-Check } catch { Complete-Undecided $_.Exception.Message }
