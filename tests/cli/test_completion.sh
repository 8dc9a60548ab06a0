#!/bin/sh
# The completion scripts that `warpdbg help --format bash|zsh` writes, in a real bash, and read by a real zsh where there is one.
. "$(dirname "$0")/../rig/cli_rig.sh"

command -v bash >/dev/null || exit 0
"$W" help --format bash >"$tmp/bash" 2>&1
check "a script for bash" bash -n "$tmp/bash"
cat >"$tmp/try" <<'EOF'
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
[[ $(complete -p warpdbg) == "complete -F _warpdbg warpdbg" ]] || exit 1
_warpdbg
printf '%s\n' "${COMPREPLY[@]}"
EOF
try() { bash "$tmp/try" "$tmp/bash" warpdbg "$@" 2>&1 | tr '\n' ' ' | sed 's/ $//'; }
is() {
	want=$1
	shift
	said=$(try "$@")
	check "warpdbg $*: '$want' expected, not '$said'" [ "$said" = "$want" ]
}
is run ru
is hotspot run hots
is lrr run hotspot --warp-sched lr
is "small default large" run hotspot --size ""
is l1d.ways run hotspot --set l1d.wa
is policies list po
is "l1d.hits l1d.hit_rate" explain l1d.hit
is l1_thrash debug bfs --inspect l1
is lee2014 paper lee
is v100 run --gpu v10
is "" run hotspot --seed ""
is README.md run READ
is README.md run --timeline READ
is "" list README
# Every option of a command, and no other.
for c in $("$W" --help | sed -n 's/^  warpdbg \([a-z]*\).*/\1/p' | sort -u); do
	"$W" help "$c" | sed -n '/^Its options/,/^In the debugger/s/^\(--*[a-z][a-z-]*\).*/\1/p' | sort >"$tmp/want"
	try "$c" - | tr ' ' '\n' | sort >"$tmp/got"
	check "options of $c: $(diff "$tmp/want" "$tmp/got" | head -3 | tr '\n' ' ')" cmp -s "$tmp/want" "$tmp/got"
	check "$c has options" [ -s "$tmp/got" ]
done
# Every policy.
for p in $("$W" list policies --format json | sed -n 's/^  "name": "\([^"]*\)".*/\1/p'); do
	echo "$p"
done | sort -u >"$tmp/want"
for k in $("$W" --help | sed -n 's/^  --\([a-z-]*\) NAME .*/\1/p'); do
	try run "--$k" "" | tr ' ' '\n'
done | sort -u >"$tmp/got"
check "policies: $(comm -23 "$tmp/want" "$tmp/got" | tr '\n' ' ')" [ -s "$tmp/want" ] && [ -z "$(comm -23 "$tmp/want" "$tmp/got")" ]

"$W" help --format zsh >"$tmp/_warpdbg" 2>&1
check "a script for zsh" grep -q '^#compdef warpdbg' "$tmp/_warpdbg"
if command -v zsh >/dev/null; then
	check "zsh reads it" zsh -n "$tmp/_warpdbg"
	# Words are offered by compadd: a function of that name writes them down.
	zsh -f -c 'compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print FILES; }
		source "$1"; words=(warpdbg run hotspot --warp-sched ""); CURRENT=5; _warpdbg; words=(warpdbg run ""); CURRENT=3; _warpdbg' \
		zsh "$tmp/_warpdbg" >"$tmp/said" 2>&1
	check "zsh: policies, workloads and files" [ "$(grep -cx 'lrr\|hotspot\|FILES' "$tmp/said")" = 3 ]
fi
expect 2 "is the completion of all commands" help run --format bash
expect 2 "are for \`warpdbg help\`" list gpus --format zsh
