#!/bin/sh
# Groups of modules that include each other in a circle: a module is NAME.c with NAME.h and NAME_internal.h. One line a
# group, the largest first: how many, where, who.
#   cycles.sh           the groups
#   cycles.sh -e        with the includes within each group
set -u
cd "$(dirname "$0")/../.." || exit 2
find src ui -name '*.[ch]' -o -name '*.def' | sort | xargs grep -Hn '^[[:blank:]]*#[[:blank:]]*include "' | awk -F: -v edges="${1:-}" '
function module(path) {
	sub(/(_internal)?\.[a-z]+$/, "", path)
	return path
}
# Everything that can be reached from a module.
function reach(from,    stack, n, m, i, k, to) {
	n = 1
	stack[1] = from
	while (n) {
		m = stack[n--]
		k = split(out[m], to, " ")
		for (i = 1; i <= k; i++)
			if (!((from, to[i]) in reaches)) {
				reaches[from, to[i]] = 1
				stack[++n] = to[i]
			}
	}
}
{
	split($3, part, "\"")
	file = part[2]
	if ((getline line < ("src/" file)) >= 0) {
		close("src/" file)
		file = "src/" file
	} else {
		close("ui/" file)
		file = "ui/" file
	}
	from = module($1)
	to = module(file)
	if (from != to && !((from, to) in seen)) {
		seen[from, to] = 1
		out[from] = out[from] " " to
	}
	where[from, to] = where[from, to] " " $1 ":" $2
}
END {
	for (m in out)
		reach(m)
	for (m in out)
		if ((m, m) in reaches && !(m in grouped)) {
			n = 0
			for (o in out)
				if ((m, o) in reaches && (o, m) in reaches) {
					grouped[o] = 1
					who[++n] = o
				}
			for (i = 2; i <= n; i++)
				for (k = i; k > 1 && who[k] < who[k - 1]; k--) {
					t = who[k]
					who[k] = who[k - 1]
					who[k - 1] = t
				}
			folder = who[1]
			sub(/\/[^\/]*$/, "", folder)
			line = sprintf("%3d %s:", n, folder)
			for (i = 1; i <= n; i++)
				line = line " " substr(who[i], index(who[i], folder "/") == 1 ? length(folder) + 2 : 1)
			print line | "sort -k1,1nr -k2"
			for (i = 1; i <= n && edges == "-e"; i++)
				for (k = 1; k <= n; k++)
					if ((who[i], who[k]) in where && i != k)
						print "      " who[i] " -> " who[k] ":" where[who[i], who[k]]
		}
}'
