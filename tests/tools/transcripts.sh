#!/bin/sh
# transcripts.sh [PROGRAM [FILE...]]: runs the commands of the marked blocks of documents and writes what they say anew. A block is what
# stands between
#
#     <!-- transcript LINES: warpdbg run ... -->
#     <!-- end of transcript -->
#
# LINES are the lines of the answer that are shown, "1-2 9-12"; "..." stands for what is between and behind them. Without LINES all are.
# Commands of the debugger follow behind (wd): `warpdbg debug hotspot (wd) break cta-done (wd) continue`. A line is cut behind 190 letters.
# To be run in the project's top directory: tests/house/test_transcripts.sh compares.
set -e
program=$(cd "$(dirname "${1:-./warpdbg}")" && pwd)/$(basename "${1:-./warpdbg}")
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- README.md ui/DEBUGGER.md ui/SWAPS.md ui/MEMORY.md ui/REFERENCE.md src/MODEL.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR
export LC_ALL=C.UTF-8
warpdbg() { timeout 300 "$program" "$@"; }

# answer COMMAND: the block's lines.
answer() {
	case $1 in
	*'(wd)'*)
		echo "\$ ${1%% (wd)*}"
		printf '%s\n' "${1#*(wd) }" | sed 's/ (wd) /\n/g' >"$tmp/commands"
		awk '{ print "lua print(\"(wd) \" .. " "[==[" $0 "]==])"; print }' "$tmp/commands" >"$tmp/script"
		eval "${1%% (wd)*} --batch -x $tmp/script" 2>&1 </dev/null || :
		;;
	*)
		echo "\$ $1"
		eval "$1" 2>&1 </dev/null || :
		;;
	esac
}

# chosen LINES: of what is on standard input, the first line and those.
chosen() {
	awk -v lines="$1" '
	BEGIN { n = split(lines, range, " "); at = 1 }
	function cut(s) { return length(s) > 190 ? substr(s, 1, 187) "..." : s }
	NR == 1 || !n { print cut($0); next }
	{
		k = NR - 1
		while (at <= n && k > last(range[at])) at++
		if (at <= n && k >= first(range[at])) { print cut($0); gap = 0 }
		else if (!gap) { print "..."; gap = 1 }
	}
	function first(r) { sub(/-.*/, "", r); return r + 0 }
	function last(r) { return index(r, "-") ? substr(r, index(r, "-") + 1) + 0 : r + 0 }'
}

for file; do
	rm -f "$tmp"/block.*
	sed -n 's/^<!-- transcript\(.*\) -->$/\1/p' "$file" >"$tmp/blocks"
	n=0
	while IFS= read -r block; do
		n=$((n + 1))
		lines=${block%%:*} command=${block#*: }
		{
			echo '```'
			answer "$command" | chosen "$lines"
			echo '```'
		} >"$tmp/block.$n"
	done <"$tmp/blocks"
	awk -v tmp="$tmp" '
	/^<!-- end of transcript -->$/ { if (!inside) wrong = 1; inside = 0 }
	!inside
	/^<!-- transcript.* -->$/ {
		if (inside) wrong = 1
		inside = 1
		part = tmp "/block." ++n
		print ""
		while ((getline line < part) > 0)
			print line
		print ""
	}
	END { if (inside || wrong) { print FILENAME ": a transcript does not end where it should" > "/dev/stderr"; exit 1 } }' "$file" >"$tmp/new"
	if cmp -s "$tmp/new" "$file"; then
		[ $n -eq 0 ] || echo "$file: $n transcript(s) are up to date"
	else
		cat "$tmp/new" >"$file"
		echo "$file: transcripts written"
	fi
done
