#!/bin/sh
# Installs what the heavier test lanes need on Debian or Ubuntu. Safe to run again.
# The lanes are described in docs/verification.md.
set -eu

packages="
  ansible-core
  binutils
  busybox
  dash
  debootstrap
  fonts-dejavu-core
  iproute2
  jq
  libc6-arm64-cross
  libstdc++6-arm64-cross
  openssl
  osslsigncode
  poppler-utils
  procps
  qemu-user-static
  strace
  systemd-container
  unzip
  util-linux
"

# Ubuntu has Chromium as a snap only; its runners have Chrome, which serves as well.
command -v google-chrome >/dev/null 2>&1 || packages="$packages chromium"

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = "installed" ] || missing="$missing $package"
done

if [ -z "$missing" ]; then
  echo "Every lane package is installed."
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "These packages are missing:$missing" >&2
  echo "Run this script as root to install them." >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
# A mirror that falls silent is given up after seconds, and asked again.
patience="-o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o DPkg::Lock::Timeout=120"
# shellcheck disable=SC2086 # a list of options
apt-get $patience update -q
# shellcheck disable=SC2086 # lists of options and package names
apt-get $patience install -y -q --no-install-recommends $missing
