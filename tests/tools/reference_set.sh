#!/bin/sh
# Runs the reference set here and compares it with what a reference simulator measured:
# reference_set.sh [-c DIRECTORY] MACHINE [CASE...] [-- OPTIONS OF warpdbg run]
#
# DIRECTORY (tests/reference) has cases.tsv, the kernels it names and measured.tsv. One line a case: cycles there and here,
# the ratio of here to there, warp instructions when they differ, miss rates of L1D and L2 there and here (ref_miss_rate);
# at the end the mean absolute error of the cycles and the worst cases. Instructions cost one slot each and launches take
# no time, as there.
set -u
dir=tests/reference
[ "${1-}" = -c ] && dir=$2 && shift 2
[ $# -gt 0 ] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
machine=$1
shift
wanted=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	wanted="$wanted $1"
	shift
done
[ $# -gt 0 ] && shift
W=$PWD/${WARPDBG:-warpdbg}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C

# One host program a case: buffers of "zero" are allocated only, the others copied. They lie as there, each behind the one
# before at the next multiple of 256 B, the first at an address with the same place in channels, L2 slices and sets of
# caches as that simulator's 0xc0000000 (3 x 2^30): which lines have to leave a set depends on it.
awk -F '\t' -v dir="$dir" -v tmp="$tmp" -v machine="$machine" -v wanted="$wanted " '
function launch(words, n, from, kernel,    i, list, type, value, count) {
	for (i = from; i <= n; i++) {
		if (words[i] ~ /^&/) {
			list = list "b[" substr(words[i], 2) "], "
			continue
		}
		type = words[i]
		sub(/[[=].*/, "", type)
		value = words[i]
		sub(/[^=]*=/, "", value)
		if (words[i] !~ /\[/) {
			list = list "cuda." (type == "f32" || type == "f64" ? type : substr(type, 1, 1) == "s" ? "i" substr(type, 2) : type) "(" value "), "
			continue
		}
		count = words[i]
		sub(/[^[]*\[/, "", count)
		sub(/\].*/, "", count)
		how = value == "iota" || value == "rand" ? value "()" : value == "zero" ? "" : "fill(" value ")"
		printf "\tbuffer(\"%s\", %s, %s)\n", type, count, how ? "function(a) a:" how " end" : "nil" >out
		list = list "b[" nbuf++ "], "
	}
	printf "\tcuda.launch(m.%s, {%s}, {%s}, {%s}, {regs = %s})\n", kernel, $4, $5, list, $6 >out
}
FNR == NR { if ($1 == machine) measured[$2] = $3 "\t" $4 "\t" $5 "\t" $6; next }
/^#/ || !($1 in measured) || (wanted != " " && !index(wanted, " " $1 " ")) { next }
{
	out = tmp "/" $1 ".lua"
	nbuf = 0
	printf "return { name = \"%s\", run = function(cuda)\n\tlocal m, b, n = cuda.module(\"%s/%s.ptx\"), {}, 0\n", $1, dir, $2 >out
	print "\tlocal place = 3 << 24\n\tlocal at = (cuda.malloc(2 * place) + place - 1) // place * place" >out
	print "\tlocal function buffer(type, count, fill)\n\t\tlocal a = cuda.host(type, count)" >out
	print "\t\tb[n] = at\n\t\tat = (at + count * tonumber(type:match(\"%d+\")) // 8 + 255) // 256 * 256\n\t\tif fill then fill(a) cuda.copy(b[n], a) end\n\t\tn = n + 1\n\tend" >out
	parts = split($8, part, " ; ")
	for (p = 1; p <= parts; p++) {
		n = split(part[p], words, " ")
		times = p > 1 && words[1] ~ /^[0-9]+x$/ ? words[1] + 0 : 1
		if (p > 1 && words[1] ~ /^[0-9]+x$/) {
			for (i = 1; i < n; i++)
				words[i] = words[i + 1]
			n--
		}
		while (times--)
			launch(words, n, p == 1 ? 1 : 2, p == 1 ? $3 : words[1])
	}
	print "end }" >out
	close(out)
	print $1 "\t" $7 "\t" measured[$1]
}' "$dir/measured.tsv" "$dir/cases.tsv" >"$tmp/list"
[ -s "$tmp/list" ] || { echo "$machine has no such case in $dir"; exit 2; }

printf '%-14s %9s %9s %6s  %5s %5s  %5s %5s\n' "$machine" there here ratio L1 here L2 here
while IFS='	' read -r name sched cycles insts l1 l2; do
	if ! "$W" run "$tmp/$name.lua" --gpu "$machine" --warp-sched "$sched" --set isa.issue_cost=ptx \
		--set launch.latency=0 "$@" --format json --stats "$tmp/json" \
		>"$tmp/out" 2>&1; then
		echo "$name failed: $(head -1 "$tmp/out")"
		echo failed >>"$tmp/ratios"
		continue
	fi
	awk -v name="$name" -v cycles="$cycles" -v insts="$insts" -v l1="$l1" -v l2="$l2" -v ratios="$tmp/ratios" '
		/^ "[a-z0-9_]+": [{[]/ { part = $1; gsub(/[":]/, "", part) }
		/^ "warp_insts":/ { here_insts = $2 + 0 }
		part == "kernels" && /^   "cycles":/ { here += $2 }
		part == "l1d" && /^  "ref_miss_rate":/ { h1 = $2 + 0 }
		part == "l2" && /^  "ref_miss_rate":/ { h2 = $2 + 0 }
		END {
			r = here / cycles
			printf "%-14s %9d %9d %6.3f  %5.3f %5.3f  %5.3f %5.3f%s\n", name, cycles, here, r, l1, h1, l2, h2, \
				here_insts == insts ? "" : "  instructions " insts " there, " here_insts " here"
			printf "%s\t%.4f\t%.4f\t%.4f\n", name, r, l1 == "-" ? 0 : h1 - l1, l2 == "-" ? 0 : h2 - l2 >>ratios
		}' "$tmp/json"
done <"$tmp/list"

awk '
function abs(x) { return x < 0 ? -x : x }
$1 == "failed" { failed++; next }
{
	e = abs($2 - 1)
	sum += e
	n++
	d1 += abs($3)
	d2 += abs($4)
	if (abs($3) > 0.03) far = far " " $1 " L1D"
	if (abs($4) > 0.03) far = far " " $1 " L2"
	above += e > 0.12
	if (e > worst) { worst = e; name = $1 " " $2 }
}
END {
	printf "%d cases, mean absolute error %.1f %%, %d above 12 %%, worst %s; miss rates off by %.1f (L1D) and %.1f (L2) points", \
		n, 100 * sum / n, above, name, 100 * d1 / n, 100 * d2 / n
	printf "%s", far == "" ? ", none by more than 3" : ", by more than 3:" far
	print failed ? "; " failed " failed" : ""
	exit failed > 0
}' "$tmp/ratios"
