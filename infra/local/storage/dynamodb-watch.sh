# Runs the database and ends it as soon as standard input closes, which also happens if the parent process is killed.
# Arguments: file for the process id of the server (empty: none), seconds that the server runs on after standard input
# has closed, then the arguments of java.
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
