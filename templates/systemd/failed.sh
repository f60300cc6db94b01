#!/bin/sh
# Tells what a unit cannot tell about itself: `failed.sh UNIT COMMAND…`, the command being fundpress with its config file.
# systemd runs it when the unit has failed, and says how in MONITOR_… (since version 251).
unit=$1
shift
result=${MONITOR_SERVICE_RESULT:-unknown}
status=${MONITOR_EXIT_STATUS:-unknown}
reason="$unit on $(uname -n) has failed ($result, $status): journalctl --unit $unit"
# The journal reads the number as its priority: alert.
printf '<1>%s\n' "$reason"
# fundpress itself tells why it ends with 1 (failed), with 3 (refused) or by SIGTERM (out of time). Wrong settings (2) end it before
# it can, as SIGKILL does.
case $result,$status in exit-code,1 | exit-code,3 | *,TERM) exit 0 ;; esac
exec "$@" notify --event failed --reason "$reason"
