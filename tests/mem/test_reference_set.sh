#!/bin/sh
# The reference set: its table is whole, and what it measured on gpgpusim480 is what the model does.
. "$(dirname "$0")/../rig/cli_rig.sh"
dir=tests/reference

# Every measured case is defined, on a machine that there is, once; every kernel of the cases is in its file.
awk -F '\t' '/^#/ { next } FNR == NR { known[$1]++; next } !known[$2] || seen[$1 $2]++ || NF != 6 || $3 !~ /^[0-9]+$/ { print FILENAME ":" FNR ": " $0 }' \
	$dir/cases.tsv $dir/measured.tsv >"$tmp/bad"
check "measured.tsv names cases, each once a machine" test ! -s "$tmp/bad"
grep -v '^#' $dir/cases.tsv | while IFS='	' read -r name file kernel rest; do
	grep -q "^\.visible \.entry $kernel(" "$dir/$file.ptx" || echo "$name"
done >"$tmp/bad"
check "the cases' kernels are there" test ! -s "$tmp/bad"

# near MEAN CASES: cycles within MEAN % on average, at most CASES beyond 12 %.
near() {
	echo "$last" | awk -v mean="$1" -v cases="$2" '{ e = $0; sub(/.*error /, "", e)
		exit !(match($0, /[0-9]+ above 12 %/) && e + 0 <= mean && substr($0, RSTART) + 0 <= cases) }'
}

# All cases: with as many instructions as were measured, and cycles near them.
tests/tools/reference_set.sh gpgpusim480 >"$tmp/set" 2>&1
last=$(tail -1 "$tmp/set")
check "the cases run: $last" grep -q '^[1-9][0-9]* cases, mean absolute error' "$tmp/set"
check "as many instructions as measured" sh -c "! grep -E 'instructions|failed' '$tmp/set'"
# own16 is the one beyond: lanes read and write lines of their own, which L1D does not hold.
check "cycles within 3.2 % in the mean, one beyond 12 %" near 3.2 1
check "30 small launches within 3 %" awk '$1 == "step_x30" { ok = $4 > 0.97 && $4 < 1.03 } END { exit !ok }' "$tmp/set"
check "f64 among other work within 6 %" awk '$1 == "f64_among" { ok = $4 > 0.94 && $4 < 1.06 } END { exit !ok }' "$tmp/set"

# Miss rates counted as there. One case is beyond 3 points in L1D: warps walk words of their own that L1D does not hold, and
# which line is replaced just before its use turns on single cycles.
check "miss rates within 3 points, but for one of L1D" sh -c \
	"echo '$last' | sed 's/, by more than 3: own16 L1D$/, none by more than 3/' | grep -q ', none by more than 3$'"

# gpgpusim_v100 against the QV100 configuration.
tests/tools/reference_set.sh gpgpusim_v100 >"$tmp/set" 2>&1
last=$(tail -1 "$tmp/set")
check "gpgpusim_v100's cases run: $last" grep -q '^[1-9][0-9]* cases, mean absolute error' "$tmp/set"
check "as many instructions as measured on gpgpusim_v100" sh -c "! grep -E 'instructions|failed' '$tmp/set'"
check "gpgpusim_v100's cycles within 2 % in the mean, none beyond 12 %" near 2 0
check "gpgpusim_v100's miss rates within 3 points" sh -c "echo '$last' | grep -q ', none by more than 3$'"

# gpgpusim_rtx2060 against the RTX2060 configuration, the same way.
tests/tools/reference_set.sh gpgpusim_rtx2060 >"$tmp/set" 2>&1
last=$(tail -1 "$tmp/set")
check "gpgpusim_rtx2060's cases run: $last" grep -q '^[1-9][0-9]* cases, mean absolute error' "$tmp/set"
check "as many instructions as measured on gpgpusim_rtx2060" sh -c "! grep -E 'instructions|failed' '$tmp/set'"
# ticket is the one beyond. With 30 CTAs it takes .98 of the reference's cycles; with 45, when SMs have two, 251 cycles
# more there and 120 here.
check "gpgpusim_rtx2060's cycles within 3 % in the mean, one beyond 12 %" near 3 1
# Latencies of 1 and 4 in one unit; warps of one scheduler in shared memory, and in L1D, hold up the others.
for c in hash32 hash32_lrr sum_tree rowwalk flip_plain; do
	check "$c on gpgpusim_rtx2060 within 8 %" awk -v c=$c '$1 == c { ok = $4 > 0.92 && $4 < 1.08 } END { exit !ok }' "$tmp/set"
done
check "chain_f64 on gpgpusim_rtx2060 within 6 %" awk '$1 == "chain_f64" { ok = $4 > 0.94 && $4 < 1.06 } END { exit !ok }' "$tmp/set"
check "gpgpusim_rtx2060's miss rates within 3 points" sh -c "echo '$last' | grep -q ', none by more than 3$'"
