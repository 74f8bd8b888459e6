#!/bin/sh
# Makes a Debian root in $FINAL, unless it is there. test/support/node-root.ts names the variables. What it prints is for people;
# what debootstrap prints goes to $FINAL.log.
set -eu

# A folder of the test run that calls does not exist inside the root.
unset TMPDIR
child=
broken_off() {
  if [ -n "$child" ]; then
    # Said again until it is gone: what is only just forked still has this shell's handler, and would lose the signal.
    while kill -TERM "$child" 2>/dev/null; do sleep 0.2; done
    wait "$child" || true
  fi
  printf '%s\nIt was broken off.\n' "$RUN" >"$FINAL.failed"
  exit 143
}
trap broken_off TERM INT

refuse_second_build() {
  if [ -n "$RUN" ] && [ "$(head -n 1 "$FINAL.failed" 2>/dev/null)" = "$RUN" ]; then
    echo "Not tried again: it failed before in this run."
    tail -n +2 "$FINAL.failed"
    exit 1
  fi
}

# One builder at a time. Who has waited for another one finds the root, or the mark of its failure.
refuse_second_build
exec 9>"$FINAL.lock"
# Not in the foreground: a signal would be heard only after it.
flock --wait "$LOCK_SECONDS" 9 &
child=$!
wait "$child" || { echo "Another run has been building $FINAL for more than $LOCK_SECONDS s"; exit 1; }
child=
[ -d "$FINAL" ] && exit 0
refuse_second_build

give_up() {
  {
    echo "$1"
    if [ -e "$FINAL.log" ]; then tail -n 15 "$FINAL.log"; fi
  } >"$FINAL.words"
  cat "$FINAL.words"
  { echo "$RUN"; cat "$FINAL.words"; } >"$FINAL.failed"
  rm -f "$FINAL.words"
  exit 1
}

# Gives the exit code of the command; 124 says that its time was over. timeout(1) ends all that it started.
within() {
  seconds=$1
  shift
  timeout --kill-after=10 "$seconds" "$@" >>"$FINAL.log" 2>&1 9>&- &
  child=$!
  code=0
  wait "$child" || code=$?
  child=
  return "$code"
}

clear_partial() {
  [ -d "$FINAL.partial" ] || return 0
  umount -R -l "$FINAL.partial/proc" "$FINAL.partial/sys" 2>/dev/null || true
  rm -rf --one-file-system "$FINAL.partial"
}

rm -f "$FINAL.log" "$FINAL.failed"
clear_partial
free=$(df -Pm "$(dirname "$FINAL")" | awk 'NR == 2 { print $4 }')
[ "$free" -ge "$NEEDS_MB" ] || give_up "Only $free MB are free where $FINAL is to lie; it needs $NEEDS_MB MB."

# A mirror that falls silent costs wget 15 minutes for each of 20 tries, unless it is told otherwise.
export WGETRC="$FINAL.wgetrc"
printf 'timeout = 30\ntries = 3\nwaitretry = 3\n' >"$WGETRC"

attempt=1
while :; do
  code=0
  within "$TRY_SECONDS" debootstrap --variant=minbase --cache-dir="$DEBS" --include="$PACKAGES" "$SUITE" "$FINAL.partial" "$MIRROR" || code=$?
  [ "$code" -eq 0 ] && break
  why="debootstrap exited $code"
  [ "$code" -eq 124 ] && why="debootstrap did not end within $TRY_SECONDS s"
  [ "$attempt" -lt 3 ] || give_up "$why, and so it was three times; the end of its words:"
  echo "$why; try $attempt of 3, the packages that have come are kept"
  clear_partial
  sleep "$((attempt * PAUSE_SECONDS))" &
  child=$!
  wait "$child"
  child=
  attempt=$((attempt + 1))
done

rm -rf "$FINAL.partial/var/cache/apt/archives" "$FINAL.partial/debootstrap"
mkdir -p "$FINAL.partial/var/cache/apt/archives/partial" "$FINAL.partial/etc"
: >"$FINAL.partial/etc/machine-id"
if [ -n "$FINISH" ]; then
  mount -t proc proc "$FINAL.partial/proc"
  code=0
  within "$FINISH_SECONDS" chroot "$FINAL.partial" sh -euc "$FINISH" || code=$?
  umount -R -l "$FINAL.partial/proc"
  [ "$code" -eq 0 ] || give_up "What is to be done inside the new root exited $code (124: not within $FINISH_SECONDS s); the end of its words:"
fi
# Renamed into place, so a half-built root is never used.
mv "$FINAL.partial" "$FINAL"
rm -f "$FINAL.wgetrc"
