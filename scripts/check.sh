#!/bin/sh
# Tells whether this Linux node has bootstrapped. Exit 0 = yes, 75 = not yet, 1 = failed for good.
# What it saw goes as key=value lines into $CAPZ_CHECK_OUTPUT. The answers, case by case: docs/truth-table.md.
#
# It runs many times on a busy, booting node. So: shell built-ins first, no child process in the usual waiting run,
# and answers that cost one are kept in $CAPZ_STATE_DIR. POSIX sh plus `-nt` and `-O`, which dash, busybox and bash have.
set -u
# Whoever leaves without finish() has no answer: a defect of this script is never a verdict, least of all a success.
trap 'exit 75' 0
LC_ALL=C
export LC_ALL
newline='
'
root=${CAPZ_ROOT:-}
root=${root%/}
state=${CAPZ_STATE_DIR:-}
boot=${CAPZ_BOOT_ID:-}
kubernetes=$root/etc/kubernetes
instance=$root/var/lib/cloud/instance
cloud_init_log=/var/log/cloud-init-output.log
stage=waiting-for-cloud-init
next_check=5
providers=
facts=
remarks=
running=
verdict=waiting
reason=
message=

main() {
  read_uptime
  read_memo
  read_cloud_init
  case $cloud_init in done) stage=cloud-init-finished ;; absent) stage=waiting-for-bootstrap-data ;; esac
  detect_providers
  if sentinel_is_fresh; then judge_sentinel; else judge_without_sentinel; fi
  run_hooks
  write_memo
  finish
}

# ---- answers -------------------------------------------------------------------------------------------------------

pass() {
  verdict=passed
  stage=bootstrapped
}

# fail REASON SENTENCE: terminal, with the evidence named in the sentence.
fail() {
  verdict=failed
  reason=$1
  message=$2
}

# wait_in STAGE [SENTENCE]
wait_in() {
  verdict=waiting
  stage=$1
  message=${2:-}
}

add_fact() {
  facts="$facts$1=$2$newline"
}

remark() {
  remarks="${remarks:+$remarks; }$1"
}

finish() {
  code=75
  case $verdict in passed) code=0 ;; failed) code=1 ;; esac
  [ "$code" = 1 ] || reason=
  [ "$code" = 0 ] && running=
  lines="stage=$stage${newline}next-check-seconds=$next_check$newline"
  [ -z "$reason" ] || lines="${lines}reason=$reason$newline"
  [ -z "$message" ] || lines="${lines}message=$message$newline"
  [ -z "$providers" ] || lines="${lines}providers=$providers$newline"
  [ -z "$running" ] || lines="${lines}running=$running$newline"
  [ -z "$remarks" ] || lines="${lines}remark=$remarks$newline"
  # One write, so that a reader never sees half of it.
  if [ -n "${CAPZ_CHECK_OUTPUT:-}" ]; then
    printf '%s%s' "$lines" "$facts" >"$CAPZ_CHECK_OUTPUT"
  else
    printf '%s%s' "$lines" "$facts"
  fi
  trap - 0
  exit "$code"
}

# ---- clock and memory ----------------------------------------------------------------------------------------------

read_uptime() {
  uptime=${CAPZ_ELAPSED_SECONDS:-0}
  [ -r "$root/proc/uptime" ] && read -r uptime _ <"$root/proc/uptime"
  uptime=${uptime%%.*}
}

# One line, fields divided by |. Nothing of another boot is believed: the marks below are seconds of uptime.
read_memo() {
  units= units_at=-1 tmpfs= identity= seen_stage=
  [ -n "$state" ] && [ -r "$state/check-memo" ] || return 0
  IFS='|' read -r memo_version memo_boot memo_units_at memo_tmpfs memo_identity memo_stage memo_units memo_end \
    <"$state/check-memo" || return 0
  [ "$memo_version$memo_end" = 1end ] && [ "$memo_boot" = "$boot" ] || return 0
  units_at=$memo_units_at tmpfs=$memo_tmpfs identity=$memo_identity seen_stage=$memo_stage units=$memo_units
  memo_line="1|$boot|$units_at|$tmpfs|$identity|$seen_stage|$units|end"
}

write_memo() {
  new_line="1|$boot|$units_at|$tmpfs|$identity|$seen_stage|$units|end"
  [ -n "$state" ] && [ "$new_line" != "${memo_line:-}" ] || return 0
  printf '%s\n' "$new_line" >"$state/check-memo"
}

# Is this file of this boot? /run is a tmpfs on every systemd machine, so what lies there is; elsewhere its time tells.
is_of_this_boot() {
  case $1 in "$root"/run/*) run_is_tmpfs && return 0 ;; esac
  make_boot_marker || return 0
  [ "$1" -nt "$boot_marker" ]
}

run_is_tmpfs() {
  if [ -z "$tmpfs" ]; then
    tmpfs=no
    [ -r "$root/proc/mounts" ] && while read -r _ mount_point mount_type _; do
      [ "$mount_point" = /run ] && case $mount_type in tmpfs | ramfs) tmpfs=yes ;; esac
    done <"$root/proc/mounts"
  fi
  [ "$tmpfs" = yes ]
}

# A file whose time is the time of boot (5 s earlier: the kernel rounds), so that `-nt` can compare without a child.
make_boot_marker() {
  [ -n "$state" ] && [ -r "$root/proc/stat" ] || return 1
  boot_marker=$state/boot-${boot:-unknown}
  [ -e "$boot_marker" ] && return 0
  while read -r key boot_time _; do
    [ "$key" = btime ] && break
  done <"$root/proc/stat"
  [ "$key" = btime ] && touch -d "@$((boot_time - 5))" "$boot_marker"
}

# ---- cloud-init ----------------------------------------------------------------------------------------------------

# Sets cloud_init to absent, pending, running or done; cloud_init_stage; cloud_init_errors.
read_cloud_init() {
  cloud_init=pending cloud_init_stage= cloud_init_errors=
  result=$root/run/cloud-init/result.json
  status=$root/run/cloud-init/status.json
  if [ -e "$result" ] && is_of_this_boot "$result"; then
    cloud_init=done
    read_text "$result"
    read_json_errors "$text"
    return
  fi
  if [ -e "$root/run/cloud-init/disabled" ] || [ -e "$root/etc/cloud/cloud-init.disabled" ]; then
    cloud_init=absent
  elif [ -e "$status" ]; then
    cloud_init=running
    read_cloud_init_stage
  elif [ ! -e "$root/etc/cloud/cloud.cfg" ] && [ ! -e "$root/usr/bin/cloud-init" ] && [ ! -d "$root/run/cloud-init" ]; then
    cloud_init=absent
  fi
}

# status.json is read again only when it changed.
read_cloud_init_stage() {
  if changed_since "$status" status-read || [ -z "$seen_stage" ]; then
    read_text "$status"
    json_string "$text" stage
    seen_stage=${value:-none}
  fi
  cloud_init_stage=$seen_stage
}

# changed_since FILE STAMP: the stamp carries the file's own time, so a jump of the clock does not matter; it is set
# before the file is read, so a change in between is seen the next time.
changed_since() {
  [ -n "$state" ] || return 0
  if [ -e "$state/$2" ] && ! [ "$1" -nt "$state/$2" ] && ! [ "$state/$2" -nt "$1" ]; then return 1; fi
  touch -r "$1" "$state/$2"
}

read_text() {
  text=
  while IFS= read -r line || [ -n "$line" ]; do
    text="$text$line "
  done <"$1"
}

# json_string TEXT KEY: sets value to the first string under that key, or empty.
json_string() {
  value=
  case $1 in *"\"$2\""*) ;; *) return 0 ;; esac
  rest=${1#*"\"$2\""}
  skip_blanks
  rest=${rest#:}
  skip_blanks
  case $rest in '"'*) read_json_string ;; esac
}

skip_blanks() {
  rest=${rest#"${rest%%[! 	]*}"}
}

# Takes one string off the front of rest (which begins with a quote) into value; an escaped quote does not end it.
read_json_string() {
  rest=${rest#\"}
  value=
  while :; do
    case $rest in *'"'*) ;; *) return 1 ;; esac
    piece=${rest%%\"*}
    rest=${rest#*\"}
    value=$value$piece
    backslashes=${piece##*[!\\]}
    [ $((${#backslashes} % 2)) = 1 ] || break
    value="${value%\\}\""
  done
}

# Joins the strings of v1.errors. "recoverable_errors" is another key: what is degraded can still be a good node.
read_json_errors() {
  cloud_init_errors=
  case $1 in *'"errors"'*) ;; *) return 0 ;; esac
  rest=${1#*'"errors"'}
  skip_blanks
  rest=${rest#:}
  skip_blanks
  case $rest in '['*) rest=${rest#'['} ;; *) return 0 ;; esac
  while skip_blanks; do
    case $rest in '"'*) ;; *) break ;; esac
    read_json_string || break
    cloud_init_errors="${cloud_init_errors:+$cloud_init_errors; }$value"
    skip_blanks
    rest=${rest#,}
  done
}

# ---- which bootstrap providers -------------------------------------------------------------------------------------

# Evidence is what a provider's bootstrap data leaves behind, never a program: images carry kubeadm and the kubelet anyway.
detect_providers() {
  case ${CAPZ_PROVIDER:-auto} in
    auto | '') ;;
    *) providers=$CAPZ_PROVIDER && return ;;
  esac
  has etc/kubeadm.sh etc/kubeadm.yml etc/systemd/system/kubeadm.service && add_provider kubeadm-ignition
  if [ -z "$providers" ] && has run/kubeadm/kubeadm.yaml run/kubeadm/kubeadm-join-config.yaml var/lib/kubelet/kubeadm-flags.env; then
    add_provider kubeadm
  fi
  has etc/rancher/rke2/config.yaml var/lib/rancher/rke2/agent && add_provider rke2
  has etc/rancher/k3s/config.yaml var/lib/rancher/k3s/agent etc/systemd/system/k3s.service etc/systemd/system/k3s-agent.service &&
    add_provider k3s
  has etc/k0s.yaml etc/k0s.token etc/systemd/system/k0sworker.service etc/systemd/system/k0scontroller.service var/lib/k0s/kubelet &&
    add_provider k0s
  has capi-scripts var/snap/microk8s/current && add_provider microk8s
  has capi/scripts var/snap/k8s/common && add_provider canonical-kubernetes
  [ -n "$providers" ] || [ "$cloud_init" != done ] || detect_plain_user_data
}

has() {
  for path; do
    [ ! -e "$root/$path" ] || return 0
  done
  return 1
}

add_provider() {
  providers=${providers:+$providers,}$1
}

# "none": nothing in the user data runs a command. A user data file of comments only is what prototype tools leave.
detect_plain_user_data() {
  if has var/lib/cloud/instance/scripts/runcmd var/lib/cloud/instance/scripts/part-001; then
    add_provider custom
  elif [ -s "$instance/user-data.txt" ] && has_content "$instance/user-data.txt"; then
    add_provider custom
  else
    add_provider none
  fi
}

has_content() {
  while read -r line || [ -n "$line" ]; do
    case $line in '' | '#cloud-config'* | '# '* | '#') ;; *) return 0 ;; esac
  done <"$1"
  return 1
}

# Where each provider keeps what proves a joined node.
describe_provider() {
  described=$1
  kubeconfig=/etc/kubernetes/kubelet.conf
  certificate=/var/lib/kubelet/pki/kubelet-client-current.pem
  services=kubelet.service
  case $1 in
    rke2)
      kubeconfig=/var/lib/rancher/rke2/agent/kubelet.kubeconfig
      certificate=/var/lib/rancher/rke2/agent/client-kubelet.crt
      services='rke2-server.service rke2-agent.service'
      ;;
    k3s)
      kubeconfig=/var/lib/rancher/k3s/agent/kubelet.kubeconfig
      certificate=/var/lib/rancher/k3s/agent/client-kubelet.crt
      services='k3s.service k3s-agent.service'
      ;;
    k0s)
      kubeconfig=/var/lib/k0s/kubelet.conf
      certificate=/var/lib/k0s/kubelet/pki/kubelet-client-current.pem
      services='k0scontroller.service k0sworker.service'
      ;;
    microk8s)
      kubeconfig=/var/snap/microk8s/current/credentials/kubelet.config
      certificate=/var/snap/microk8s/current/certs/kubelet.crt
      services=snap.microk8s.daemon-kubelite.service
      ;;
    canonical-kubernetes)
      certificate=/etc/kubernetes/pki/kubelet-client.crt
      services=snap.k8s.kubelet.service
      ;;
    kubeadm-ignition) services='kubelet.service kubeadm.service' ;;
  esac
}

# ---- units ---------------------------------------------------------------------------------------------------------

# query_units MINIMUM-AGE: one systemctl call for all units of interest; kept for that many seconds of uptime.
query_units() {
  [ -d "$root/run/systemd/system" ] || return 0
  [ "$units_at" -lt 0 ] || [ $((uptime - units_at)) -ge "$1" ] || return 0
  wanted=cloud-final.service
  asked_for=${described:-kubeadm}
  old_ifs=$IFS
  IFS=,
  for name in $providers; do
    describe_provider "$name"
    wanted="$wanted $services"
  done
  IFS=$old_ifs
  describe_provider "$asked_for"
  # shellcheck disable=SC2086 # the words are the units
  answer=$(systemctl show -p Id -p LoadState -p ActiveState -p SubState -p Result -p ExecMainStatus $wanted 2>/dev/null) || answer=
  units_at=$uptime units=
  while [ -n "$answer" ]; do
    block=$answer
    answer=
    # systemctl parts the units by an empty line; the order of the lines in a block is its own.
    case $block in *"$newline$newline"*) answer=${block#*"$newline$newline"} block=${block%%"$newline$newline"*} ;; esac
    keep_unit "$newline$block$newline"
  done
}

keep_unit() {
  property "$1" Id && name=$value
  property "$1" LoadState && load=$value
  property "$1" ActiveState && active=$value
  property "$1" SubState && sub=$value
  property "$1" Result && unit_result=$value
  property "$1" ExecMainStatus || value=0
  case $load/$active/$sub in
    not-found/inactive/*) short=missing ;;
    */activating/auto-restart) short=restarting ;;
    */activating/* | */reloading/*) short=starting ;;
    *) short=$active ;;
  esac
  units="$units $name=$short/$unit_result/$value"
}

property() {
  value=
  case $1 in *"$newline$2="*) ;; *) return 1 ;; esac
  value=${1#*"$newline$2="}
  value=${value%%"$newline"*}
}

# look_up_unit NAME: sets unit_state (unknown, missing, inactive, starting, restarting, active, failed …) and unit_why.
look_up_unit() {
  unit_state=unknown unit_why=
  case "$units " in *" $1="*) ;; *) return 0 ;; esac
  found=${units#*" $1="}
  found=${found%% *}
  unit_state=${found%%/*}
  unit_why="result ${found#*/}"
  unit_why="${unit_why%/*}, exit status ${found##*/}"
}

# Units that have processes, seen without asking systemd.
unit_has_processes() {
  for hierarchy in "$root/sys/fs/cgroup/system.slice" "$root/sys/fs/cgroup/systemd/system.slice"; do
    [ -r "$hierarchy/$1/cgroup.procs" ] || continue
    read -r pid <"$hierarchy/$1/cgroup.procs" && return 0
  done
  return 1
}

# ---- health: a node that has joined, whatever wrote or did not write the sentinel ------------------------------------

# is_healthy PROVIDER: joined by its own right: kubeconfig, client certificate of this node, kubelet active.
is_healthy() {
  unhealthy_because=
  describe_provider "$1"
  if [ ! -e "$root$kubeconfig" ]; then unhealthy_because="$kubeconfig does not exist"; return 1; fi
  if [ ! -e "$root$certificate" ]; then unhealthy_because="$certificate does not exist"; return 1; fi
  if is_foreign; then unhealthy_because="$certificate belongs to another node or is older than this instance"; return 1; fi
  query_units 10
  for service in $services; do
    look_up_unit "$service"
    [ "$unit_state" = active ] && return 0
    unhealthy_because="${unhealthy_because:+$unhealthy_because, }$service is $unit_state"
  done
  return 1
}

# A client certificate says O=system:nodes, CN=system:node:<name>. Sets identity to own, other or unknown; read again
# only when the certificate changed. In DER the length of the name stands before it, so node-1 is not found in node-10.
read_identity() {
  changed_since "$root$certificate" identity-read || [ -z "$identity" ] || return 0
  identity=unknown hostname=
  [ -r "$root/proc/sys/kernel/hostname" ] && read -r hostname <"$root/proc/sys/kernel/hostname"
  [ -n "$hostname" ] || return 0
  own=system:node:$hostname
  # shellcheck disable=SC2059 # the format is the length octet
  own=$(printf "\\$(printf %03o ${#own})")$own
  if certificate_holds "$own"; then identity=own; elif certificate_holds system:node:; then identity=other; fi
}

certificate_holds() {
  sed -e '/BEGIN CERT/,/END CERT/!d' -e '/-----/d' "$root$certificate" | base64 -d 2>/dev/null | grep -aqiF -e "$1"
}

# The certificate of another node: made before this instance began, and not in this node's name. A node may be named
# otherwise than its host, and a disk may come back as the same node; so one of the two is enough to be its own.
is_foreign() {
  age_against_instance "$root$certificate"
  [ "$age" != newer ] || return 1
  read_identity
  case $identity/$age in own/* | unknown/unknown) return 1 ;; esac
  return 0
}

# Sets age to newer, older or unknown: the file against cloud-init's first marks of this instance.
age_against_instance() {
  age=unknown
  for mark in config_users_groups config_write_files config_ssh config_scripts_user; do
    [ -e "$instance/sem/$mark" ] || continue
    age=older
    [ "$1" -nt "$instance/sem/$mark" ] && age=newer
    return 0
  done
}

# ---- judging: the sentinel is there ----------------------------------------------------------------------------------

sentinel_is_fresh() {
  sentinel=$root/run/cluster-api/bootstrap-success.complete
  [ -e "$sentinel" ] || return 1
  is_of_this_boot "$sentinel" && return 0
  sentinel_state=stale
  remark "/run/cluster-api/bootstrap-success.complete is older than this boot and does not count"
  return 1
}

# RKE2 writes the sentinel even when the steps before it failed, so there its service has to agree.
judge_sentinel() {
  add_fact sentinel fresh
  case ,$providers, in
    *,rke2,*) judge_service rke2; [ "$verdict" = waiting ] || [ "$verdict" = failed ] || remark_on_sentinel ;;
    *) pass; remark_on_sentinel ;;
  esac
}

remark_on_sentinel() {
  [ -z "$cloud_init_errors" ] || remark "cloud-init reports errors beside the sentinel: $cloud_init_errors"
  case $providers in
    kubeadm | kubeadm-ignition)
      has etc/kubernetes/kubelet.conf || remark "the sentinel exists but /etc/kubernetes/kubelet.conf does not"
      ;;
  esac
  [ "$providers" = kubeadm ] || return 0
  find_command_error
  [ -z "$command_error" ] || remark "a command before kubeadm failed, $cloud_init_log says: $command_error"
}

# ---- judging: no sentinel --------------------------------------------------------------------------------------------

judge_without_sentinel() {
  case $cloud_init in
    pending) wait_in waiting-for-cloud-init ;;
    running) judge_running_cloud_init ;;
    *) judge_providers ;;
  esac
}

judge_running_cloud_init() {
  case $cloud_init_stage in
    init-local) wait_in cloud-init-local ;;
    init) wait_in cloud-init-network ;;
    modules-config) wait_in cloud-init-config ;;
    modules-final) judge_final_stage ;;
    *) wait_in waiting-for-cloud-init ;;
  esac
}

# runcmd, and so kubeadm, runs in cloud-final.service. A node that had joined before this boot need not wait for it.
judge_final_stage() {
  wait_in cloud-init-final
  if name_processes cloud-final.service; then
    describe_process
    return
  fi
  query_units 30
  look_up_unit cloud-final.service
  [ "$unit_state" != failed ] ||
    fail CloudInitFailed "cloud-final.service failed ($unit_why) and /run/cloud-init/result.json was never written."
}

describe_process() {
  case " $running" in
    *" kubeadm ("*)
      stage=kubeadm-init
      has run/kubeadm/kubeadm-join-config.yaml && stage=kubeadm-join
      has etc/kubernetes/bootstrap-kubelet.conf && stage=kubelet-tls-bootstrap
      ;;
    *" apt"* | *" dpkg"* | *" dnf"* | *" yum"* | *" tdnf"* | *" zypper"* | *" snap ("*) stage=installing-packages ;;
    *" curl ("* | *" wget ("*) stage=downloading ;;
    *" systemctl ("*) stage=starting-service ;;
  esac
}

# name_processes UNIT: sets running to "kubeadm (74 s), curl (3 s)"; shells and cloud-init itself say nothing. Arguments
# are left out, since secrets may stand in them. Fails when the unit has no process.
name_processes() {
  unit_has_processes "$1" || return 1
  running=
  unit=$1
  while read -r pid; do
    [ -r "$root/proc/$pid/stat" ] && IFS= read -r line <"$root/proc/$pid/stat" || continue
    name=${line#*\(}
    name=${name%)*}
    case $name in sh | bash | dash | tee | cat | cloud-init | python3* | sleep) continue ;; esac
    # shellcheck disable=SC2086 # field 22 of proc(5) stat: start in clock ticks (100 per second) after boot
    set -- ${line##*) }
    running="${running:+$running, }$name ($((uptime - ${20:-0} / 100)) s)"
    [ ${#running} -lt 200 ] || break
  done <"$hierarchy/$unit/cgroup.procs"
  return 0
}

# Several providers at once: one that has bootstrapped decides, then one that still may, then the failure.
judge_providers() {
  best=
  old_ifs=$IFS
  IFS=,
  for provider in $providers; do
    IFS=$old_ifs
    judge_provider "$provider"
    case $best/$verdict in
      */passed) break ;;
      /* | failed/waiting) best=$verdict best_stage=$stage best_reason=$reason best_message=$message ;;
    esac
  done
  IFS=$old_ifs
  [ "$verdict" = passed ] || [ -z "$best" ] || verdict=$best stage=$best_stage reason=$best_reason message=$best_message
  [ -n "$best" ] || [ "$verdict" = passed ] || wait_in waiting-for-bootstrap-data
}

judge_provider() {
  case $1 in
    kubeadm) judge_kubeadm ;;
    kubeadm-ignition) judge_kubeadm_ignition ;;
    rke2 | k3s | k0s) judge_service "$1" ;;
    microk8s | canonical-kubernetes) judge_snap "$1" ;;
    custom) judge_custom ;;
    none) judge_none ;;
    *) wait_in waiting-for-sentinel ;;
  esac
}

fail_cloud_init() {
  fail CloudInitFailed "/run/cloud-init/result.json has errors: $cloud_init_errors"
}

# Sets user_data to this-boot, earlier-boot or never: when cloud-init started the user's commands for this instance.
read_user_data_time() {
  user_data=never
  if [ -e "$instance/sem/config_scripts_user" ]; then
    user_data=earlier-boot
    is_of_this_boot "$instance/sem/config_scripts_user" && user_data=this-boot
  fi
  add_fact user-data "$user_data"
}

judge_kubeadm() {
  read_user_data_time
  case $user_data in
    this-boot) judge_finished_kubeadm ;;
    earlier-boot) judge_joined_node kubeadm ;;
    *) if [ -n "$cloud_init_errors" ]; then fail_cloud_init; else judge_joined_node kubeadm; fi ;;
  esac
}

# The user's commands ran in this boot and ended, and there is no sentinel: kubeadm && sentinel, so kubeadm failed.
judge_finished_kubeadm() {
  case $cloud_init_errors in
    '') ;;
    *scripts_user* | *scripts-user* | *runcmd*) fail_cloud_init; return ;;
  esac
  if is_running kubeadm; then wait_in kubeadm-running; return; fi
  find_kubeadm_error
  if [ -n "$log_line" ]; then
    fail KubeadmFailed "cloud-init finished without the sentinel, and $cloud_init_log says: $log_line"
  elif is_healthy kubeadm; then
    pass_without_sentinel
  elif [ -n "$cloud_init_errors" ]; then
    fail_cloud_init
  elif ! has etc/kubernetes/kubelet.conf; then
    fail KubeadmFailed "cloud-init finished without the sentinel, no kubeadm process runs and /etc/kubernetes/kubelet.conf does not exist."
  else
    judge_joined_node kubeadm
  fi
}

# Nothing bootstraps in this boot: either the node has joined already, or it never will.
judge_joined_node() {
  if is_healthy "$1"; then pass_without_sentinel; return; fi
  if [ ! -e "$root$kubeconfig" ]; then
    case $user_data/$cloud_init in
      earlier-boot/*)
        fail BootstrapInterrupted "The machine restarted in mid-bootstrap: cloud-init ran the user data in an earlier boot and does not run it again, and $kubeconfig does not exist."
        ;;
      */done) fail NoBootstrapData "cloud-init finished, but its user data runs nothing that bootstraps, and $kubeconfig does not exist." ;;
      *) wait_in waiting-for-bootstrap-data "$unhealthy_because" ;;
    esac
  elif [ -e "$root$certificate" ] && is_foreign; then
    fail ForeignNodeIdentity "$certificate belongs to another node: this machine was cloned from a bootstrapped one, and nothing in this boot bootstraps it."
  elif failed_service; then
    fail KubeletFailed "$service failed ($unit_why) on a node that has $kubeconfig."
  else
    wait_in waiting-for-kubelet "$unhealthy_because"
  fi
}

failed_service() {
  for service in $services; do
    look_up_unit "$service"
    [ "$unit_state" != failed ] || return 0
  done
  return 1
}

pass_without_sentinel() {
  pass
  add_fact sentinel "${sentinel_state:-absent}"
  remark "no sentinel in this boot: $kubeconfig, this node's certificate and an active $service prove that it joined"
  [ -z "$cloud_init_errors" ] || remark "cloud-init reports errors: $cloud_init_errors"
}

# /etc/kubeadm.yml is moved away only after success; kubeadm.service is a oneshot that runs while it is there.
judge_kubeadm_ignition() {
  user_data=never
  if name_processes kubeadm.service; then wait_in kubeadm-running; return; fi
  describe_provider kubeadm-ignition
  query_units 10
  look_up_unit kubeadm.service
  case $unit_state in
    failed) fail KubeadmFailed "kubeadm.service failed ($unit_why) and no sentinel was written." ;;
    starting | restarting) wait_in kubeadm-running ;;
    *) if has etc/kubeadm.yml; then wait_in waiting-for-kubeadm "/etc/kubeadm.yml is there and kubeadm.service is $unit_state"; else judge_joined_node kubeadm; fi ;;
  esac
}

# RKE2, k3s, k0s: one service is the whole node; systemd says how it is, and a restart may still bring it up.
judge_service() {
  describe_provider "$1"
  read_user_data_time
  query_units 10
  seen=missing
  for service in $services; do
    look_up_unit "$service"
    case $unit_state in missing) continue ;; esac
    seen=$unit_state
    case $seen in inactive) ;; *) break ;; esac
  done
  case $seen in
    active) judge_active_service "$1" ;;
    failed) fail BootstrapServiceFailed "$service failed ($unit_why) and systemd does not start it again." ;;
    starting | restarting) wait_in "$1-$seen" "$service is $seen" ;;
    unknown) wait_in waiting-for-service ;;
    *) judge_idle_service "$1" ;;
  esac
}

judge_active_service() {
  if is_healthy "$1"; then
    if [ -e "$sentinel" ]; then pass; else pass_without_sentinel; fi
  else
    wait_in joining "$unhealthy_because"
  fi
}

judge_idle_service() {
  case $cloud_init/$user_data in
    done/this-boot | done/never)
      if [ -n "$cloud_init_errors" ]; then fail_cloud_init; return; fi
      fail BootstrapServiceNotStarted "cloud-init finished, but none of these services was started: $services."
      ;;
    *) wait_in waiting-for-service "none of these services runs yet: $services" ;;
  esac
}

# MicroK8s never writes a sentinel, Canonical Kubernetes an empty one.
judge_snap() {
  read_user_data_time
  if is_healthy "$1"; then pass_without_sentinel; return; fi
  query_units 10
  look_up_unit "$services"
  case $unit_state in
    failed) fail BootstrapServiceFailed "$services failed ($unit_why) and systemd does not start it again." ;;
    missing | inactive) judge_idle_service "$1" ;;
    *) wait_in joining "$unhealthy_because" ;;
  esac
}

judge_custom() {
  if [ -n "$cloud_init_errors" ]; then fail_cloud_init; return; fi
  if is_healthy custom; then pass_without_sentinel; return; fi
  wait_in waiting-for-sentinel "cloud-init finished without errors; the user data has not written /run/cluster-api/bootstrap-success.complete"
}

judge_none() {
  if [ -n "$cloud_init_errors" ]; then fail_cloud_init; return; fi
  if [ "${CAPZ_PROVIDER:-auto}" = none ]; then pass; return; fi
  fail NoBootstrapData "cloud-init finished, but its user data holds no command that could bootstrap this machine."
}

# ---- what runs, and what the log says ----------------------------------------------------------------------------------

# is_running NAME: one look at all processes; only before a verdict.
is_running() {
  for file in "$root"/proc/[0-9]*/comm; do
    [ -r "$file" ] && read -r name <"$file" 2>/dev/null && [ "$name" = "$1" ] && return 0
  done
  return 1
}

find_kubeadm_error() {
  find_in_log 'error execution phase|\[ERROR |^error:|kubeadm: .*not found'
}

find_command_error() {
  find_in_log ': not found$|command not found$|^E: |^\[(init|preflight)\]'
  command_error=
  case $log_line in '['*) ;; *) command_error=$log_line ;; esac
}

# The first line that fits, of the newest run of the user's commands: the log is kept across boots and in images.
find_in_log() {
  log_line=
  [ -r "$root$cloud_init_log" ] || return 0
  found=$(tail -c 262144 "$root$cloud_init_log" | grep -aE "^Cloud-init v\..* running 'modules:final'|$1" | tail -n 50) || return 0
  old_ifs=$IFS
  IFS=$newline
  set -f
  for line in $found; do
    case $line in 'Cloud-init v.'*) log_line= ;; *) log_line=${log_line:-$line} ;; esac
  done
  set +f
  IFS=$old_ifs
}

# ---- hooks of a provider -----------------------------------------------------------------------------------------------

# check.d/*.sh of ours or of the image: same protocol. Their word is last; "not yet" only holds back a success.
run_hooks() {
  folder=$root/etc/capz-bootstrap/check.d
  [ -d "$folder" ] && [ -n "$state" ] || return 0
  for hook in "$folder"/*.sh; do
    [ -x "$hook" ] || continue
    if is_private "$folder" && is_private "$hook"; then run_hook "$hook"; else remark "${hook#"$root"} was not run: it or its folder can be written by others"; fi
  done
}

# Mine (root's in production), and not writable by group or others.
is_private() {
  [ -O "$1" ] && case $(stat -c %a "$1") in *[2367]? | *[2367]) return 1 ;; esac
}

run_hook() {
  : >"$state/hook-output"
  hook_exit=0
  CAPZ_CHECK_OUTPUT=$state/hook-output timeout 20 "$1" </dev/null || hook_exit=$?
  # 124 is timeout's own word, above 128 stands a signal: no answer.
  [ "$hook_exit" != 124 ] && [ "$hook_exit" -le 128 ] || hook_exit=75
  text=$newline
  while IFS= read -r line || [ -n "$line" ]; do text="$text$line$newline"; done <"$state/hook-output"
  add_fact hook "${1##*/} exit $hook_exit"
  case $hook_exit/$verdict in
    0/*) pass ;;
    75/passed) wait_in waiting-for-hook "${1#"$root"} says: not yet" ;;
    75/*) return 0 ;;
    *) fail HookFailed "${1#"$root"} ended with exit code $hook_exit." ;;
  esac
  property "$text" stage && stage=$value
  property "$text" message && message=$value
  property "$text" reason && reason=$value
  return 0
}

main
