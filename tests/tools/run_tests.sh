#!/bin/sh
# Runs test programs (cmocka) and test scripts, one line each; ends with "N passed, N failed": run_tests.sh BUILD-DIR TEST...
#
# A cmocka program counts with its tests, a script with its lines "ok ..." and "not ok ...". A program that crashes, hangs
# (10 minutes) or says nothing counts as one failure. Exit status 0 only when all passed. Output: BUILD-DIR/test-logs/.
# A cmocka test that skips itself (what it needs is not here) is neither passed nor failed; the program's line says so.
#
# Those that took ten seconds or more say how long. What failed is said once more in front of the last line, for those who see only
# the end.
#
# As many run at a time as there are processors (TEST_JOBS=N: N). The slow ones come first. Tests with terminals wait more than they
# compute, so two of them run beside the others. Lines come in the order of the arguments all the same.
set -u
logs=$1/test-logs
shift
jobs=${TEST_JOBS:-$(nproc 2>/dev/null || echo 1)}
waits='test_cuda_text|test_host_interrupt|test_leave|test_pace|test_palette|test_screen.*'
slow='test_nvcc|test_matrix|test_workloads|test_verbs|test_hostile|test_vt|test_replay_workloads|test_restart_workloads|test_kernel_slips.sh|test_paper.sh'
export MATRIX_JOBS="${MATRIX_JOBS:-$(((jobs + 1) / 2))}"
mkdir -p "$logs"
claims=$(mktemp -d)
trap 'rm -rf "$claims"' EXIT
workers=

# Ctrl-C: what runs in the background hears nothing of it. Each worker ends its test, `timeout` all that the test has started.
stop() {
	trap '' INT TERM HUP
	[ -z "$workers" ] || kill $workers 2>/dev/null
	wait
	exit $1
}
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP

worker_begins() {
	busy=
	trap - INT HUP EXIT
	trap '[ -z "$busy" ] || kill $! 2>/dev/null; wait; exit 143' TERM
}

run_one() { # run_one TEST: its lines go to $claims/NAME.said, "PASSED FAILED" to $claims/NAME.count
	name=$(basename "$1") log=$logs/$(basename "$1").log
	began=$(date +%s) skipped=0
	busy=yes
	slower="nice -n 10" # a terminal's test looks at a screen that is drawn meanwhile: it goes first
	if echo "$name" | grep -qE "^($waits)\$"; then slower=; fi
	$slower timeout -k 10 600 "$1" >"$log" 2>&1 </dev/null &
	wait $!
	status=$?
	busy=
	took=$(($(date +%s) - began))
	case $1 in
	*.sh)
		ok=$(grep -c '^ok' "$log")
		bad=$(grep -c '^not ok' "$log")
		;;
	*)
		ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
		run=$(sed -n 's/^\[==========\].* \([0-9]*\) test(s) run.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
		skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
		bad=$((run > ok + skipped ? run - ok - skipped : 0))
		;;
	esac
	why=
	if [ $status -eq 124 ]; then
		why=" (killed after 10 minutes)"
	elif [ $status -gt 128 ]; then
		why=" (killed by signal $((status - 128)))"
	fi
	if [ "$bad" -eq 0 ] && { [ $status -ne 0 ] || [ $((ok + skipped)) -eq 0 ]; }; then
		bad=1
		why="$why (exit status $status)"
	fi
	if [ "$bad" -eq 0 ] && [ "$skipped" -gt 0 ]; then
		printf '  %-28s %4d passed, %d skipped\n' "$name" "$ok" "$skipped"
	elif [ "$bad" -eq 0 ] && [ $took -ge 10 ]; then
		printf '  %-28s %4d passed %5d s\n' "$name" "$ok" $took
	elif [ "$bad" -eq 0 ]; then
		printf '  %-28s %4d passed\n' "$name" "$ok"
	else
		printf '  %-28s %4d passed, %d FAILED%s\n' "$name" "$ok" "$bad" "$why"
		grep -aE '^not ok|ERROR|FAILED|rror:|runtime error' "$log" | head -20 | sed 's/^/      /'
		echo "      all of it: $log"
	fi >"$claims/$name.said"
	echo "$ok $bad" >"$claims/$name.part"
	mv "$claims/$name.part" "$claims/$name.count"
}

names_like() { basename "$1" | grep -qxE "$2"; }

# Runs what nobody has begun yet of the tests given: those whose names are like the pattern, or, with "not", are not.
work() { # work [not] PATTERN TEST...
	want=0
	[ "$1" = not ] && want=1 && shift
	pattern=$1
	shift
	for t in "$@"; do
		names_like "$t" "$pattern"
		[ $? -eq $want ] && mkdir "$claims/$(basename "$t")" 2>/dev/null && run_one "$t"
	done
}

worker=0
while [ $worker -lt "$jobs" ]; do
	worker=$((worker + 1))
	{ worker_begins; work "$slow" "$@"; work not "$waits" "$@"; } &
	workers="$workers $!"
done
for waiter in 1 2; do
	{ worker_begins; work "$waits" "$@"; } &
	workers="$workers $!"
done

passed=0 failed=0
: >"$claims/failures"
for t in "$@"; do
	name=$(basename "$t")
	while [ ! -e "$claims/$name.count" ]; do sleep 0.1; done
	cat "$claims/$name.said"
	read -r ok bad <"$claims/$name.count"
	passed=$((passed + ok)) failed=$((failed + bad))
	[ "$bad" -eq 0 ] || cat "$claims/$name.said" >>"$claims/failures"
done
wait
cat "$claims/failures"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
