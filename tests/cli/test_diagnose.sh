#!/bin/sh
# run --diagnose and the debugger's diagnose from outside: what is simulated stays the same, text and JSON agree, rules of the user are
# found, and a bad one is reported.
. "$(dirname "$0")/../rig/cli_rig.sh"
export HOME="$tmp/home"
unset WARPDBG_DIAGNOSE
mkdir -p "$HOME/.warpdbg/diagnose" "$tmp/more"
conflict="tests/kernels/conflict.ptx --kernel k --grid 16 --block 256 --arg u32[64]=zero"
same() { # same NAME A B
	if [ -n "$2" ] && [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: '$2' is not '$3'"; fi
}
value() { # value KEY: of the JSON in $tmp/json, at the first level
	sed -n 's/^ "'"$1"'": "*\([^",]*\)"*,*$/\1/p' "$tmp/json" | head -1
}

# --- text: behind the usual report, findings in the order of their bounds
expect 0 '1. bank conflicts of shared memory: 32 cycles an access' run $conflict --diagnose
expect 0 'conflict.ptx:22: ld.shared.u32 %r7, [%r2];' run $conflict --diagnose
"$W" run $conflict >"$tmp/plain" 2>&1
grep -q 'bank conflicts of shared memory' "$tmp/plain" && echo "not ok nobody has asked" || echo "ok nobody has asked"
"$W" run $conflict --diagnose 2>&1 | head -n "$(wc -l <"$tmp/plain")" | grep -v 'wall\|host\| s)\|/s' >"$tmp/with"
grep -v 'wall\|host\| s)\|/s' "$tmp/plain" | cmp -s - "$tmp/with" && echo "ok the report is as without it" || echo "not ok the report is as without it: $(diff "$tmp/with" "$tmp/plain" | head -4 | tr '\n' '|')"

# --- JSON: the same figures, and the findings
"$W" run kmeans --size small --format json >"$tmp/json" 2>/dev/null
cycles=$(value cycles) result=$(value result_hash)
"$W" run kmeans --size small --format json --diagnose >"$tmp/json" 2>"$tmp/err"
same "cycles with and without" "$cycles" "$(value cycles)"
same "result with and without" "$result" "$(value result_hash)"
same "the first finding" "$(grep -m1 -o '"rule": "[a-z_]*"' "$tmp/json")" '"rule": "thrash"'
same "lost slots" "$(sed -n 's/^  "lost": \([0-9]*\),$/\1/p' "$tmp/json")" "$(sed -n '/"base": {/,/}/p' "$tmp/json" |
	awk -F': ' '/"(issued|sum|slots)"/ { next } /": [0-9]+/ { n += $2 } /}/ { print n; exit }')"
[ -s "$tmp/err" ] && echo "not ok nothing on standard error: $(head -2 "$tmp/err")" || echo "ok nothing on standard error"
"$W" run kmeans --size small --format json --diagnose 2>/dev/null | sed '/^ "host"/,/^ }/d' >"$tmp/again"
sed '/^ "host"/,/^ }/d' "$tmp/json" | cmp -s - "$tmp/again" && echo "ok the same again" || echo "not ok the same again"
"$W" debug kmeans --size small --batch -ex continue -ex diagnose -ex "export diagnose-json $tmp/export" >/dev/null 2>&1
same "exported findings" "$(grep -c '"rule"' "$tmp/export")" "$(grep -c '"rule"' "$tmp/json")"

# --- rules of the user's
printf -- '--[[ mine: a rule of mine. ]]\nreturn function(s)\n\treturn {title = "mine", slots = s.lost, evidence = {"e"}, remedy = "r", test = "info code"}\nend\n' \
	>"$HOME/.warpdbg/diagnose/mine.lua"
printf 'return function(s)\n\n\terror("oh")\nend\n' >"$tmp/more/bad.lua"
expect 0 '1. mine ' run $conflict --diagnose
WARPDBG_DIAGNOSE="/nowhere:$tmp/more" expect 0 'bad.lua:3: oh' run $conflict --diagnose
WARPDBG_DIAGNOSE="/nowhere:$tmp/more" expect 0 '2. bank conflicts' run $conflict --diagnose
expect 0 'a rule of mine' debug $conflict --batch -ex 'diagnose rules'
expect 0 '1. mine' debug $conflict --batch --history-mb 0 -ex continue -ex diagnose
expect 2 'history' debug $conflict --batch --history-mb 0 -ex continue -ex 'diagnose kernel 0'
expect 2 'does not belong' debug $conflict --batch --diagnose
