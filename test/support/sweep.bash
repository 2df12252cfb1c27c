#!/usr/bin/env bash
# Cleans up after a test run: `sweep.bash <folder>` waits for the end of its standard input, which comes when the run
# ends, however it ends. Then it kills the processes that still have the folder of the run in their environment or
# arguments, names them, and removes the folder.

folder=$1
cat >/dev/null

# Prints the ids of the processes of the run, without this one.
left_behind() {
  local process pid
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    if ((pid == $$ || pid == BASHPID)); then continue; fi
    if grep -aqsF "$folder" "$process/environ" "$process/cmdline"; then echo "$pid"; fi
  done
}

# What starts between a look and a kill is found by the next look.
for round in {1..50}; do
  mapfile -t pids < <(left_behind)
  if ((${#pids[@]} == 0)); then break; fi
  for pid in "${pids[@]}"; do
    arguments=$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) || continue
    echo "The test run left process $pid behind, which is killed now: ${arguments:0:200}" >&2
    kill -9 "$pid" 2>/dev/null
  done
  sleep 0.1
done

while read -r _ mount _; do
  if [[ $mount == "$folder"/* ]]; then umount "$mount"; fi
done </proc/mounts
rm -rf "$folder"
