#!/bin/sh
# The reference set: its table is whole, and a short case of each file runs here with as many instructions as were measured.
. "$(dirname "$0")/cli_rig.sh"
dir=tests/reference

# Every measured case is defined, on a machine that there is, once; every kernel of the cases is in its file.
awk -F '\t' '/^#/ { next } FNR == NR { known[$1]++; next } !known[$2] || seen[$1 $2]++ || NF != 6 || $3 !~ /^[0-9]+$/ { print FILENAME ":" FNR ": " $0 }' \
	$dir/cases.tsv $dir/measured.tsv >"$tmp/bad"
check "measured.tsv names cases, each once a machine" test ! -s "$tmp/bad"
grep -v '^#' $dir/cases.tsv | while IFS='	' read -r name file kernel rest; do
	grep -q "^\.visible \.entry $kernel(" "$dir/$file.ptx" || echo "$name"
done >"$tmp/bad"
check "the cases' kernels are there" test ! -s "$tmp/bad"

# One case a file, among them several launches.
tests/tools/reference_set.sh gpgpusim480 chase star2d_x4 hailstone flip_pad count_own chain_fma >"$tmp/set" 2>&1
check "the cases run: $(tail -1 "$tmp/set")" grep -q '^[1-9][0-9]* cases, mean absolute error' "$tmp/set"
check "as many instructions as measured" sh -c "! grep -E 'instructions|failed' '$tmp/set'"
