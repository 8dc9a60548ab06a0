#!/bin/sh
# make check: layer order of the includes, what src/ may not include, format, cppcheck; then the longest functions and files.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
sources=$(find src ui tests -name '*.c' -o -name '*.h' | sort)

# A file of src/ may include its own layer and those before it. sim.h and sim*.c stand above all layers.
layers() {
	find src -name '*.[ch]' -o -name '*.def' | sort | xargs grep -Hn '^#include "' | awk -F: '
	BEGIN {
		n = split("base conf probe ir passes front mem sm cta task gpu obs", order, " ")
		for (i = 1; i <= n; i++)
			rank[order[i]] = i
		rank["sim"] = n + 1
	}
	function layer(path) {
		sub(/^src\//, "", path)
		return path ~ /^sim(_[a-z]+)?\.[ch]$/ ? "sim" : substr(path, 1, index(path, "/") - 1)
	}
	{
		split($3, part, "\"")
		from = layer($1)
		to = layer(part[2])
		if (to == "")
			print $1 ":" $2 ": \"" part[2] "\" is not written from src/"
		else if (!(to in rank) || !(from in rank))
			print $1 ":" $2 ": no layer: \"" part[2] "\""
		else if (rank[to] > rank[from])
			print $1 ":" $2 ": " from " includes \"" part[2] "\", which stands above it"
	}'
}

forbidden() {
	grep -rnE '#include <(n?curses|ncursesw/|readline/|lua|lauxlib|lualib|term\.h)' src
	grep -rnE '\b(printf|puts|putchar|exit|perror)\(' src --include='*.c' | grep -vE 'src/base/base\.c|//|^\S+\s*\*|"[^"]*\b(printf|exit|puts)\('
	# One file includes curses.
	files=$(grep -rlE '#include <(n?curses|ncursesw/)' ui)
	[ "$(echo "$files" | wc -w)" -le 1 ] || echo "more than one file includes curses:" $files
}

# The PTX front end is known by its place in front/all.def alone; inside it, folders stand on those before them.
front_ptx() {
	grep -rn '^#include "front/ptx/' src ui | grep -v '^src/front/ptx/'
	find src/front/ptx -name '*.[ch]' | sort | xargs grep -Hn '^#include "front/ptx/' | awk -F: '
	BEGIN {
		n = split("runtime executor reader", order, " ")
		for (i = 1; i <= n; i++)
			rank[order[i]] = i
	}
	function folder(path) {
		sub(/^src\//, "", path)
		sub(/^front\/ptx\//, "", path)
		return substr(path, 1, index(path, "/") - 1)
	}
	{
		split($3, part, "\"")
		from = folder($1)
		to = folder(part[2])
		if (from != "" && !(from in rank))
			print $1 ": no folder of front/ptx that has an order: " from
		else if (from != "" && to != "" && !(rank[to] <= rank[from]))
			print $1 ":" $2 ": " from " includes \"" part[2] "\", which stands above it"
	}'
}

report() { # report TITLE TEXT
	if [ -n "$2" ]; then
		bad=1
		printf '%s\n%s\n' "$1: FAILED" "$2"
	else
		echo "$1: ok"
	fi
}

report "layer order of includes" "$(layers)"
report "front/ptx behind front_ops, its folders in order" "$(front_ptx)"
report "src/ without curses, readline, Lua, printing, exit" "$(forbidden)"
report "clang-format" "$(clang-format --dry-run -Werror $sources 2>&1 | grep -E 'error:' | cut -d: -f1 | uniq -c | head -40)"
report "cppcheck" "$(cppcheck --quiet --std=c11 --language=c --inline-suppr -j2 --enable=warning,portability \
	--suppress=missingInclude --suppress=missingIncludeSystem --suppress=unknownMacro --suppress=preprocessorErrorDirective \
	--suppress=normalCheckLevelMaxBranches --suppressions-list=tests/tools/cppcheck.txt \
	-Isrc -Iui -D__x86_64__ -DEXEC_LEVEL=base src ui 2>&1 | grep -E '(error|warning|portability):' | head -40)"

# Function lengths: a definition's opening brace stands alone in column 1, and so does its closing one.
lengths() {
	for f in $(find src ui -name '*.c' | sort); do
		awk -v f="$f" '/^\{/ { start = NR; name = prev } /^\}/ && start { print NR - start + 1, f ":" start, name; start = 0 }
			/^[a-zA-Z_]/ { prev = $0 }' "$f"
	done | sort -n
}
lengths | awk '
	{ len[NR] = $1; line[NR] = $0 }
	function at(q) { i = int(NR * q + 0.999); return len[i < 1 ? 1 : i] }
	END {
		printf "\nfunctions: %d, length median %d, p90 %d, p99 %d, max %d\n", NR, at(0.5), at(0.9), at(0.99), len[NR]
		print "  beside:  vis 9/35/109/242, Lua 9/25/64/773, Ramulator 9/35/80/93, GPGPU-Sim 9/52/241/338"
		for (i = NR; i > NR - 8 && i > 0; i--)
			print "  " line[i]
	}'
echo "files:"
find src ui -name '*.[ch]' -o -name '*.def' | xargs wc -l | sort -rn | awk '$2 != "total" && n++ < 8 { print "  " $1, $2 }'
exit $bad
