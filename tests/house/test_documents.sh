#!/bin/sh
# The documents: every link and every path in them leads somewhere, all are reached from the README, and that is short
# enough to be read in ten minutes.
. "$(dirname "$0")/../rig/cli_rig.sh"

check "no dead link, no path that is not there" tests/tools/links.sh
check "README.md has at most 400 lines" test "$(wc -l <README.md)" -le 400
check "so many documents" test "$(find . -name '*.md' ! -path './build*' | wc -l)" -ge 11

# The README's tour: every line of it does what it says, those of the debugger one after the other.
sed -n '/^## A tour/,/^## Five minutes/p' README.md >"$tmp/tour"
sed -n 's/^(wd) //p' "$tmp/tour" | sed 's/   .*//' >"$tmp/typed"
command -v rsvg-convert >/dev/null || sed -i 's/now.png/now.svg/' "$tmp/typed"
check "the tour has commands of the debugger" test "$(wc -l <"$tmp/typed")" -ge 15
mkdir "$tmp/there"
cp configs/kernels/vecadd.ptx "$tmp/there/my.ptx"
(cd "$tmp/there" && timeout 60 "$W" debug hotspot --size small --batch -x "$tmp/typed") >"$tmp/said" 2>&1
status=$?
check "none of which fails: $(grep -a error "$tmp/said")" test $status -eq 0
check "files are where it says" test -f "$tmp/there/ev.jsonl" -a -s "$tmp/there/p.svg"
sed -n 's/^warpdbg \(run hotspot\|compare hotspot\|list\|explain\|help\)/\1/p' "$tmp/tour" | sed 's/  *#.*//; s/ hotspot/ hotspot --size small/' >"$tmp/lines"
check "and of the program" test "$(wc -l <"$tmp/lines")" -ge 9
while read -r line; do
	(cd "$tmp/there" && eval "timeout 60 '$W' $line") >"$tmp/said" 2>&1
	status=$?
	check "warpdbg $line" test $status -eq 0 -a -s "$tmp/said"
done <"$tmp/lines"

# What links.sh is to find, one mistake at a time.
mkdir "$tmp/tree" "$tmp/tree/ui" "$tmp/tree/src"
reset() {
	printf '# A\n\n[there](ui/B.md#two-words-1) [here](#a) [out](https://example.org/x#y) `src/x.c`\n' >"$tmp/tree/README.md"
	printf '# B, of `ui`\n\n## Two words\n\n## Two words\n\n[back](../README.md) [me](#b-of-ui)\n\n```\n# none\n```\n' >"$tmp/tree/ui/B.md"
	: >"$tmp/tree/src/x.c"
	rm -f "$tmp/tree/ui/C.md"
}
finds() { # finds TEXT: and nothing else
	tests/tools/links.sh "$tmp/tree" >"$tmp/said"
	check "links.sh: $1" test $?:"$(cat "$tmp/said")" = "1:$1"
	reset
}
reset
check "nothing to complain of" tests/tools/links.sh "$tmp/tree"
echo '[x](ui/C.md)' >>"$tmp/tree/README.md"
finds "./README.md:4: no such file: ui/C.md"
echo '[x](#none)' >>"$tmp/tree/ui/B.md"
finds "./ui/B.md:12: no such heading: #none"
echo '[x](ui/B.md#two-words-2)' >>"$tmp/tree/README.md"
finds "./README.md:4: no such heading: ui/B.md#two-words-2"
echo 'Look into `src/y.c`.' >>"$tmp/tree/ui/B.md"
finds "./ui/B.md:12: no such path: src/y.c"
echo '# C' >"$tmp/tree/ui/C.md"
finds "ui/C.md: no way leads here from README.md"
echo '```' >>"$tmp/tree/README.md"
finds "./README.md: a code block has no end"

# The walks name functions that are there.
strangers() { # strangers DOCUMENT
	for f in $(grep -o '`[a-z_0-9]*()`' "$1" | tr -d '`()' | sort -u); do
		grep -rqE "^[a-z].*[ *]$f\(" ui src --include='*.[ch]' || echo "no function $f()"
	done >"$tmp/said"
	cat "$tmp/said"
	test ! -s "$tmp/said"
}
check "ui/README.md: its functions" strangers ui/README.md
check "src/README.md: its functions" strangers src/README.md
