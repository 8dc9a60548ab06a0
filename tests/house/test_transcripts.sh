#!/bin/sh
# The transcripts in the documents are what the program says now, and the walk of ui/DEBUGGER.md leads where it says.
. "$(dirname "$0")/../rig/cli_rig.sh"

for file in README.md ui/DEBUGGER.md ui/SWAPS.md ui/MEMORY.md ui/REFERENCE.md src/MODEL.md; do
	cp "$file" "$tmp/document.md"
	tests/tools/transcripts.sh "$W" "$tmp/document.md" >"$tmp/said" 2>&1
	check "transcripts of $file (\`make reference\` writes them): $(diff "$file" "$tmp/document.md" | head -4 | tr '\n' '|')" \
		cmp -s "$file" "$tmp/document.md"
done
check "there are some" [ "$(grep -c '^<!-- transcript' ui/DEBUGGER.md)" -ge 4 ]
# A transcript that is old is noticed.
sed 's/^cycle [0-9]*: \([0-9]*\) warps resident$/cycle 7: \1 warps resident/' ui/DEBUGGER.md >"$tmp/old.md"
check "something to make old" sh -c "! cmp -s ui/DEBUGGER.md $tmp/old.md"
tests/tools/transcripts.sh "$W" "$tmp/old.md" >"$tmp/said" 2>&1
check "an old transcript is written anew" cmp -s ui/DEBUGGER.md "$tmp/old.md"
printf '<!-- transcript: warpdbg list gpus -->\ntext\n' >"$tmp/open.md"
check "a transcript without an end is an error" sh -c "! tests/tools/transcripts.sh '$W' '$tmp/open.md'"

# The walk: every number of four digits and more behind -> is in the answer to its command.
sed -n '/^### A walk/,/^## /p' ui/DEBUGGER.md | sed -n '/^```/,/^```/p' | grep -v '^```' >"$tmp/walk"
awk '/^\(wd\)/ { c = substr($0, 6); sub(/  +.*/, "", c); print c }' "$tmp/walk" >"$tmp/commands"
awk '{ print "lua print(\"=== " NR "\")"; print }' "$tmp/commands" >"$tmp/script"
timeout 600 "$W" debug kmeans --batch -x "$tmp/script" >"$tmp/answers" 2>&1
check "the walk: $(tail -1 "$tmp/answers")" [ $? -eq 0 ]
awk '
/^\(wd\)/ { n++; told = 0 }
{ text = /^ / ? $0 : ""; if (index($0, "->")) { told = 1; text = substr($0, index($0, "->") + 2) } }
told {
	gsub(/,/, "", text)
	k = split(text, word, /[^0-9a-zA-Z.]+/)
	for (i = 1; i <= k; i++) {
		sub(/[.]$/, "", word[i])
		if (word[i] ~ /^[0-9.]*[0-9][0-9][0-9][0-9][0-9.]*$/ || word[i] ~ /^0x/)
			print n, word[i]
	}
}' "$tmp/walk" >"$tmp/numbers"
check "numbers of the walk" [ "$(wc -l <"$tmp/numbers")" -ge 20 ]
while read -r n number; do
	tr -d , <"$tmp/answers" | sed -n "/^=== $n\$/,/^=== $((n + 1))\$/p" >"$tmp/part"
	check "the walk, $(sed -n "${n}p" "$tmp/commands"): $number" grep -qF -- "$number" "$tmp/part"
done <"$tmp/numbers"
