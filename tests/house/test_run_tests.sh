#!/bin/sh
# The runner of the tests: an interrupted run leaves nothing behind (no worker, no test, nothing that a test has started), and a
# test that skips itself is neither passed nor failed.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Two that say who they are and wait for ever, one of them in the background; one that follows alone.
cat >"$tmp/test_waits.sh" <<'SH'
#!/bin/sh
sleep 1000 &
echo $! >>"$(dirname "$0")/pids"
echo $$ >>"$(dirname "$0")/pids"
exec sleep 1001
SH
cp "$tmp/test_waits.sh" "$tmp/test_waits_too.sh"
printf '#!/bin/sh\necho ok quick\n' >"$tmp/test_quick.sh"
cp "$tmp/test_waits.sh" "$tmp/test_screen_waits"
chmod +x "$tmp"/test_*

lives() { kill -0 "$1" 2>/dev/null && ! grep -qs '^State:.Z' "/proc/$1/status"; }
run() { # run PIDS TEST...: ends the runner when so many processes have said who they are
	wanted=$1
	shift
	rm -f "$tmp/pids"
	mkdir -p "$tmp/claims"
	TMPDIR=$tmp/claims TEST_JOBS=2 tests/tools/run_tests.sh "$tmp" "$@" >"$tmp/out" 2>&1 &
	runner=$!
	i=0
	while [ "$(cat "$tmp/pids" 2>/dev/null | wc -l)" -lt "$wanted" ] && [ $i -lt 600 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	kill -TERM $runner
	wait $runner
	status=$?
	left=0
	while read -r pid; do
		i=0 # a process that has been sent its signal may still have to be given a processor to end on
		while lives "$pid" && [ $i -lt 50 ]; do
			sleep 0.1
			i=$((i + 1))
		done
		if lives "$pid"; then
			left=$((left + 1))
			kill "$pid"
		fi
	done <"$tmp/pids"
	left=$((left + $(ls "$tmp/claims" | wc -l)))
	if [ $status -eq 143 ] && [ $left -eq 0 ]; then
		echo "ok interrupted in $*"
	else
		echo "not ok interrupted in $*: exit status $status, $left left"
	fi
}
run 4 "$tmp/test_waits.sh" "$tmp/test_waits_too.sh"
run 2 "$tmp/test_quick.sh" "$tmp/test_screen_waits"

# What cmocka says when one test of two skips itself; when both do; when one of them fails.
cmocka() { # cmocka NAME PASSED SKIPPED STATUS
	cat >"$tmp/$1" <<SH
#!/bin/sh
echo '[==========] Running 2 test(s).'
echo '[==========] 2 test(s) run.'
echo '[  PASSED  ] $2 test(s).'
[ $3 -eq 0 ] || echo '[  SKIPPED ] $3 test(s), listed below:'
exit $4
SH
	chmod +x "$tmp/$1"
}
said() { # said STATUS LAST-LINE TEST LINE
	tests/tools/run_tests.sh "$tmp" "$tmp/$3" "$tmp/test_quick.sh" >"$tmp/out" 2>&1
	status=$?
	if [ $status -eq "$1" ] && [ "$(tail -n 1 "$tmp/out")" = "$2" ] && grep -q "$3 *$4" "$tmp/out"; then
		echo "ok $3"
	else
		echo "not ok $3: exit status $status: $(tr '\n' '|' <"$tmp/out")"
	fi
}
cmocka test_half 1 1 0
cmocka test_none 0 2 0
cmocka test_bad 0 1 1
said 0 '2 passed, 0 failed' test_half '1 passed, 1 skipped$'
said 0 '1 passed, 0 failed' test_none '0 passed, 2 skipped$'
said 1 '1 passed, 1 failed' test_bad '0 passed, 1 FAILED'
