#!/bin/sh
# One pod of the sharded night. Each renders the shard of its index; that of index 0 then waits for the others and publishes.
# Its arguments go to all commands: --as-of, --allow, --force, --reason.
set -eu

night=/shared/${JOB_UID:?}
index=${JOB_COMPLETION_INDEX:?}
mkdir -p "$night"

# What earlier nights have left, after a day.
if [ "$index" = 0 ]; then
  find /shared -mindepth 1 -maxdepth 1 -mtime +0 ! -name "$JOB_UID" -exec rm -rf {} + || echo 'old shards could not be removed' >&2
fi

# 4: there is nothing to do. Then the pod of index 0 would wait in vain if it has begun before that.
code=0
fundpress nightly --ask --exit-code "$@" || code=$?
case $code in
  0) ;;
  4)
    touch "$night/nothing-to-do"
    exit 0
    ;;
  *) exit "$code" ;;
esac

# One file: each of ten thousand small files costs a shared file system some milliseconds. It has its name once it is complete,
# also if two pods have the same index. A pod that replaces another one finds what that has rendered.
# tar fails with 2, which means here that trying again does not help. What it wrote would keep a full volume full.
if [ ! -e "$night/$index.tar" ]; then
  fundpress build --shard "auto/${SHARDS:?}" --since other --out /workdir/shard "$@"
  part=$night/${POD_NAME:?}.part
  if ! tar -cf "$part" -C /workdir/shard .; then
    rm -f "$part"
    exit 1
  fi
  mv "$part" "$night/$index.tar"
fi
if [ "$index" != 0 ]; then exit 0; fi

# The deadline of the Job ends this, and so does a shard that fails for good, because then the Job fails.
while [ "$(find "$night" -name '*.tar' | wc -l)" -lt "$SHARDS" ]; do
  if [ -e "$night/nothing-to-do" ]; then
    echo 'another night has published meanwhile: nothing to do'
    exit 0
  fi
  sleep 5
done
for tar in "$night"/*.tar; do
  shard=/workdir/shards/$(basename "$tar" .tar)
  mkdir -p "$shard"
  tar -xf "$tar" -C "$shard" || exit 1
done
# If the shards are of different databases, it renders the whole night itself.
exec fundpress nightly --shards /workdir/shards/* --since other "$@"
