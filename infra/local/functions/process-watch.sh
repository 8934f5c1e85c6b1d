# Reads lines "+ PID" and "- PID" from standard input. Kills the processes that were added and not removed as soon as
# standard input closes, which also happens if the parent process is killed. Frozen processes cannot end by themselves.
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="${pids%% "$pid" *} ${pids#* "$pid" }" ;;
  esac
done
for pid in $pids; do
  kill -9 "$pid" 2>/dev/null
done
