#!/bin/sh
# What a job of AWS Batch does: `job.sh night`, or ask, render and publish for shards, or watch and
# verify. template.yaml sets the environment.
set -eu

step=${1:-night}
export FUNDPRESS_BUCKET_PREFIX="${PREFIX%/}"

if [ "$step" = watch ]; then exec fundpress status --max-age "$MAX_AGE"; fi
if [ "$step" = verify ]; then exec fundpress verify --deep; fi

# One day for all jobs of an execution, in Berlin, also if the image has no time zones: the rule of the European Union.
day=${AS_OF:-$(TZ=CET-1CEST,M3.5.0,M10.5.0/3 date -d "${STARTED:-now}" +%F)}
night=$SHARED/${EXECUTION:-by-hand}

# What somebody allows for this execution (see README.md).
set -- --as-of "$day"
if [ -n "${ALLOW:-}" ]; then set -- "$@" --allow "$ALLOW"; fi
if [ "${FORCE:-}" = true ]; then set -- "$@" --force; fi
if [ -n "${REASON:-}" ]; then set -- "$@" --reason "$REASON"; fi
if [ "${AGAIN:-}" = true ] && [ "$step" != render ]; then set -- "$@" --again; fi

fundpress fetch "s3://$DATABASE" "$FUNDPRESS_DB"

case $step in
  night) exec fundpress nightly --since "${SINCE:-other}" "$@" ;;
  ask)
    # Shards of executions that failed.
    find "$SHARED" -mindepth 1 -maxdepth 1 -mtime +0 -exec rm -rf {} + || echo 'old shards could not be removed' >&2
    exec fundpress nightly --ask --exit-code "$@"
    ;;
  render)
    fundpress build --shard "auto/$SHARDS" --since "${SINCE:-other}" "$@"
    # One file: each of ten thousand small files costs EFS some milliseconds.
    mkdir -p "$night"
    number=$((AWS_BATCH_JOB_ARRAY_INDEX + 1))
    # tar fails with 2, which would mean that the settings are wrong.
    tar -cf "$night/$number.part" -C "$FUNDPRESS_OUT" . || exit 1
    mv "$night/$number.part" "$night/$number.tar"
    ;;
  publish)
    for tar in "$night"/*.tar; do
      folder=$WORK/shards/$(basename "$tar" .tar)
      mkdir -p "$folder"
      tar -xf "$tar" -C "$folder" || exit 1
    done
    exec fundpress nightly --shards "$WORK"/shards/* --since "${SINCE:-other}" "$@"
    ;;
  *)
    echo "job.sh: there is no step $step" >&2
    exit 2
    ;;
esac
