#!/bin/sh
# The Lua fuzzer (tests/fuzz_lua.lua) tells what it found from its own errors, and a short run of it is clean.
. "$(dirname "$0")/../rig/cli_rig.sh"
cp tests/fuzz_lua.lua "$tmp/fuzz_lua.lua"
F=tests/tools/fuzz_lua.sh

judged() { # judged NAME STATUS PATTERN PROGRAM ROUNDS FILE: what the fuzzer's runner says of a run
	"$F" "$4" "${SEED:-14}" "$5" "$6" >"$tmp/out" 2>&1
	got=$?
	if [ $got -eq "$2" ] && grep -q -- "$3" "$tmp/out"; then
		echo "ok $1"
	else
		echo "not ok $1: exit $got, wanted $2 and '$3'; got: $(tail -3 "$tmp/out" | tr '\n' '|')"
	fi
}
program() { # program TEXT: one that behaves so
	printf '#!/bin/sh\n%s\n' "$1" >"$tmp/program"
	chmod +x "$tmp/program"
}
edited() { # edited SED-SCRIPT: the fuzzer with a mistake in it
	sed "$1" tests/fuzz_lua.lua >"$tmp/fuzz_lua.lua"
	cmp -s tests/fuzz_lua.lua "$tmp/fuzz_lua.lua" && echo "not ok edited $1: it changes nothing"
}
judged "functions and objects of scripts refuse odd arguments" 0 'clean: functions.*raised	[1-9].*faults	0' "$W" 6000 tests/fuzz_lua.lua

# its own mistakes are no findings
edited 's/pcall(F\[n\], table.unpack/pcall(function(...) return F[nil](...) end, table.unpack/'
judged "a mistake in its calls" 4 'own fault' "$W" 200 "$tmp/fuzz_lua.lua"
edited 's/^local F, N = {}, {}/& wrong.name = 1/'
judged "a mistake before its calls" 4 'own fault: an error in its lines' "$W" 200 "$tmp/fuzz_lua.lua"
edited 's/"gpu.noc" }/"gpu.nothing" }/'
judged "an object that there is not" 4 'own fault' "$W" 200 "$tmp/fuzz_lua.lua"
edited 's/"dbg", "gpu", "mem"/"dgb", "gup", "mme"/'
judged "nothing to call" 4 "own fault" "$W" 200 "$tmp/fuzz_lua.lua"
judged "no program" 4 'no program' "$tmp/none" 200 tests/fuzz_lua.lua

# and findings are no mistakes of its own
edited 's/error(RAISED, 0)/error("another", 0)/'
SEED=10 judged "a function that failed otherwise" 1 'a finding: a function of the fuzzer failed otherwise' "$W" 6000 "$tmp/fuzz_lua.lua"
program 'kill -SEGV $$'
judged "a crash" 1 'a finding: it crashed' "$tmp/program" 200 tests/fuzz_lua.lua
program 'echo "==1==ERROR: AddressSanitizer: heap-use-after-free" >&2; exit 1'
judged "a sanitizer's report" 1 "a finding: a sanitizer's report" "$tmp/program" 200 tests/fuzz_lua.lua
program 'echo "x.c:1:2: runtime error: shift exponent 64" >&2; printf "functions\t1\n"; exit 0'
judged "a sanitizer's report of a run that went on" 1 "a finding: a sanitizer's report" "$tmp/program" 200 tests/fuzz_lua.lua
program 'echo "-ex: error: tests/fuzz_lua.lua:50: the script used up its budget of 10 instructions (an endless loop?)"; exit 2'
judged "a call that never returns" 1 'a finding: a call took the whole budget' "$tmp/program" 200 tests/fuzz_lua.lua
program 'exit 0'
judged "an early end" 1 'a finding: the script was ended' "$tmp/program" 200 tests/fuzz_lua.lua
