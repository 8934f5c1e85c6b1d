# Runs the database and ends it once standard input closes, which also happens when whoever started this is killed.
# Arguments: file for the server's process id (empty: none), seconds to let it live on after that, then java's own.
pid_file=$1
quiet=$2
shift 2

exec 3<&0
java "$@" </dev/null 3<&- &
server=$!
[ -z "$pid_file" ] || echo "$server" >"$pid_file"

{
  read -r _ <&3
  sleep "$quiet"
  kill "$server"
} &
watcher=$!
exec 3<&-

wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
