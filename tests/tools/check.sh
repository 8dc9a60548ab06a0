#!/bin/sh
# make check: floors of src/ and ui/, what src/ may not include, format, cppcheck; then the longest functions and files.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
sources=$(find src ui tests -name '*.c' -o -name '*.h' | sort)

# Floors, from the ground up: a file may include its own and those below it (written first), never one above.
# src/: sim.h and sim*.c stand above all. ui/ stands on top of all of src/; both have a base/, so names must differ there.
src_floors="base conf probe ir passes front mem sm cta task gpu obs sim"
ui_floors="base scr lua cudart session dbg script views commands terminal cli"
# src/obs has floors of its own: a part may include those before it.
obs_floors="energy stats name break record report compare why history"

floors() { # floors FILES ROOT ORDER: includes of ROOT's files (FILES: all that there are) that lead upwards or nowhere
	find "$2" -name '*.[ch]' -o -name '*.def' | sort | xargs grep -Hn '^[[:blank:]]*#[[:blank:]]*include "' | awk -F: -v root="$2/" -v order="$3" -v files="$1" '
	BEGIN {
		n = split(order, o, " ")
		for (i = 1; i <= n; i++)
			rank[o[i]] = i
		n = split(files, f, " ")
		for (i = 1; i <= n; i++)
			there[f[i]] = 1
	}
	function floor(path) {
		path = substr(path, length(root) + 1)
		if (root == "src/" && path ~ /^sim(_[a-z]+)?\.[ch]$/)
			return "sim"
		return substr(path, 1, index(path, "/") - 1)
	}
	{
		split($3, part, "\"")
		name = part[2]
		from = floor($1)
		if (root == "ui/" && there["src/" name]) {
			if (there["ui/" name])
				print $1 ":" $2 ": \"" name "\" is in src/ and in ui/"
			next
		}
		full = (root == "ui/" ? "ui/" : "src/") name
		if (!there[full])
			print $1 ":" $2 ": \"" name "\" is not written from src/ or ui/"
		else if (index(full, root) != 1)
			next
		else if (!(floor(full) in rank) || !(from in rank))
			print $1 ":" $2 ": no floor: " (from in rank ? full : $1)
		else if (rank[floor(full)] > rank[from])
			print $1 ":" $2 ": " from " includes \"" name "\", which stands above it"
	}'
}

all_files=$(find src ui -name '*.[ch]' -o -name '*.def' | tr '\n' ' ')

layers() {
	floors "$all_files" src "$src_floors"
	floors "$all_files" ui "$ui_floors"
	floors "$all_files" src/obs "$obs_floors"
	find ui src/obs -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.def' | sed 's/$/: stands on no floor/'
	# A function without a header of its own would lead past all of this.
	grep -rnE "^extern [^=]*[(]" ui src --include='*.c' | sed 's/$/   (declared outside a header)/'
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

# A banner (a comment that names a part of a file) is a line of its own, of at most 120 columns.
banners() {
	find src ui tests -name '*.[ch]' | sort | xargs awk '
	FNR == 1 { open = 0 }
	open && /^[[:blank:]]*(\*[[:blank:]]*-*[[:blank:]]*)?\*\/$/ || open && /^[[:blank:]]*\*[[:blank:]]*---/ { print FILENAME ":" FNR - 1 ": the banner is broken" }
	{ open = /^[[:blank:]]*\/\* --- / && !/\*\/$/ }'
}

# An include guard is the header's path as it is now: src/mem/l1.h has MEM_L1_H, ui/scr/draw.h UI_SCR_DRAW_H.
guards() {
	find src ui tests -name '*.h' | sort | xargs awk '
	FNR == 1 {
		want = toupper(FILENAME)
		sub(/^SRC\//, "", want)
		gsub(/[^A-Z0-9]/, "_", want)
		seen = 0
	}
	/^#ifndef / && !seen++ && $2 != want { print FILENAME ": its include guard is " $2 }'
}

# A BUG_ON looks at the state and changes nothing: no assignment, no count, no address handed to somebody who writes.
bug_on() {
	grep -rnE 'BUG_ON\(.*(\+\+|--[^>]|[^=!<>]=[^=]|[(,] *&[a-z]|(set|add|push|pop|take|init|put|alloc)(_[a-z_]*)?\()' src ui \
		--include='*.[ch]' | grep -v '#define'
}

# Modules (NAME.c with NAME.h and NAME_internal.h) that include each other in a circle are those that are known here, or fewer of them:
# a circle that is cut goes from this list, none comes to it.
known_cycles="
src/conf: carveout conf virtual
src/mem/coherence: coherence src/mem/impl src/mem/mem src/mem/noc/message
src/sm: internal l1_pipe replay sched/external sched/sched sm virtual
ui/cudart: arrays copy graph launch memory nodes streams
ui/cudart: deliver link"

cycles() {
	tests/tools/cycles.sh | awk -v known="$known_cycles" '
	BEGIN {
		n = split(known, line, "\n")
		for (i = 1; i <= n; i++) {
			k = split(line[i], m, " ")
			for (j = 2; j <= k; j++)
				group[m[1] m[j]] = i
		}
	}
	{
		for (i = 4; i <= NF; i++)
			if (group[$2 $i] != group[$2 $3])
				break
		if (i <= NF || !group[$2 $3])
			print "a new circle, or one that has grown:" $0
	}'
}

# What git has at the top level beside the folders and files that belong there. Nothing to say without git.
strays() {
	git ls-files 2>/dev/null | cut -d/ -f1 | sort -u |
		grep -vxE 'Makefile|src|ui|scripts|configs|tests|screenshots|README\.md|LICENSE|\..*'
}

report() { # report TITLE TEXT
	if [ -n "$2" ]; then
		bad=1
		printf '%s\n%s\n' "$1: FAILED" "$2"
	else
		echo "$1: ok"
	fi
}

report "order of floors, src/ and ui/" "$(layers)"
report "include circles within floors" "$(cycles)"
report "front/ptx behind front_ops, its folders in order" "$(front_ptx)"
report "src/ without curses, readline, Lua, printing, exit" "$(forbidden)"
report "nothing else at the top level" "$(strays)"
report "include guards by path" "$(guards)"
report "banners on one line" "$(banners)"
report "BUG_ON changes nothing" "$(bug_on)"
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
