#!/bin/sh
# usage: fuzz_lua.sh PROGRAM [SEED [ROUNDS [FILE]]]
# Runs tests/fuzz_lua.lua in the debugger and says how it went. The program's exit status alone cannot: functions of the
# fuzzer raise on purpose, under the debugger these are errors of a script, and its random writes may spoil the result.
#   0  clean
#   1  a finding: a crash, a hang, a sanitizer's report, or a script that was ended
#   4  the fuzzer's own fault: it has tested nothing, or not what it should
program=$1 seed=${2:-1} rounds=${3:-3000} file=${4:-tests/fuzz_lua.lua}
out=$(mktemp) || exit 4
trap 'rm -f "$out"' EXIT
say() {
	echo "fuzz_lua: $1 (seed $seed, $rounds rounds, status $status)"
	[ "$2" -eq 0 ] || tail -n 15 "$out"
	exit "$2"
}
status=0
[ -x "$program" ] && [ -r "$file" ] || { status=2; say "its own fault: no program $program or no $file" 4; }
HOME=/nonexistent timeout -k 10 600 "$program" debug vecadd --size small --batch -ex "lua SEED, ROUNDS = $seed, $rounds" -ex 'step 500' \
	-ex "source $file" >"$out" 2>&1 || status=$?
last=$(grep '^functions' "$out" | tail -n 1)
grep -qE 'Sanitizer|runtime error:' "$out" && say "a finding: a sanitizer's report" 1
[ $status -eq 124 ] || [ $status -eq 137 ] && say "a finding: it hangs" 1
[ $status -ge 126 ] && say "a finding: it crashed" 1
grep -q "^the fuzzer's own fault" "$out" && say "its own fault" 4
grep -q 'used up its budget' "$out" && say "a finding: a call took the whole budget" 1
grep -qE 'fuzz[^ ]*\.lua:[0-9]+: ' "$out" && say "its own fault: an error in its lines" 4
[ "$last" ] || say "a finding: the script was ended" 1
grep ' failed and is off: ' "$out" | grep -v "failed and is off: raised by the fuzzer's function" >"$out.other"
if [ -s "$out.other" ]; then
	cat "$out.other"
	rm -f "$out.other"
	say "a finding: a function of the fuzzer failed otherwise than it raises" 1
fi
rm -f "$out.other"
say "clean: $last" 0
