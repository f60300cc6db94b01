#!/bin/sh
# Tells somebody that a unit has failed: `failed.sh fundpress-nightly`. systemd runs it.
unit=$1
said=$(journalctl --unit "$unit" --lines 20 --no-pager --output cat 2>&1)
logger --tag fundpress --priority daemon.alert "$unit has failed on $(uname -n)"

# Put your own command here, such as one of these two:
# printf '%s\n' "$said" | mail -s "$unit has failed on $(uname -n)" operations@example.com
# printf '%s\n' "$said" | curl --fail --silent --show-error --data-binary @- https://hooks.example.com/fundpress
printf '%s\n' "$said"
