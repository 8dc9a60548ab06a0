#!/bin/sh
# Runs test programs (cmocka) and test scripts, one line each; ends with "N passed, N failed": run_tests.sh BUILD-DIR TEST...
#
# A cmocka program counts with its tests, a script with its lines "ok ..." and "not ok ...". A program that crashes, hangs
# (10 minutes) or says nothing counts as one failure. Exit status 0 only when all passed. Output: BUILD-DIR/test-logs/.
set -u
logs=$1/test-logs
shift
mkdir -p "$logs"
passed=0 failed=0

run_one() {
	name=$(basename "$1") log=$logs/$(basename "$1").log
	timeout 600 "$1" >"$log" 2>&1 </dev/null
	status=$?
	case $1 in
	*.sh)
		ok=$(grep -c '^ok' "$log")
		bad=$(grep -c '^not ok' "$log")
		;;
	*)
		ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
		run=$(sed -n 's/^\[==========\].* \([0-9]*\) test(s) run.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
		bad=$((run > ok ? run - ok : 0))
		;;
	esac
	why=
	if [ $status -eq 124 ]; then
		why=" (killed after 10 minutes)"
	elif [ $status -gt 128 ]; then
		why=" (killed by signal $((status - 128)))"
	fi
	if [ "$bad" -eq 0 ] && { [ $status -ne 0 ] || [ "$ok" -eq 0 ]; }; then
		bad=1
		why="$why (exit status $status)"
	fi
	passed=$((passed + ok)) failed=$((failed + bad))
	if [ "$bad" -eq 0 ]; then
		printf '  %-28s %4d passed\n' "$name" "$ok"
	else
		printf '  %-28s %4d passed, %d FAILED%s\n' "$name" "$ok" "$bad" "$why"
		grep -E '^not ok|ERROR|FAILED|rror:|runtime error' "$log" | head -20 | sed 's/^/      /'
		echo "      all of it: $log"
	fi
}

for t in "$@"; do
	run_one "$t"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
