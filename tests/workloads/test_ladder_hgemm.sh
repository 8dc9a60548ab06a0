#!/bin/sh
# The ladder of f16 multiplications on tensor cores (ladder/hgemm): each step is right, on three machines and in both
# layouts of B; the published figures and their file agree; its check notices slips in the PTX.
. "$(dirname "$0")/../rig/cli_rig.sh"
. tests/rig/slips_rig.sh

right="finished, check passed"
for gpu in a100 rtx4090 h200; do
	expect 0 "$right" run ladder/hgemm --gpu $gpu --size small
done
expect 2 "mma" run ladder/hgemm --gpu v100 --size small
expect 0 "$right" run ladder/hgemm --gpu rtx4090 --param n=128 --param k=32 # fewer tiles than stages
expect 0 "$right" run ladder/hgemm --gpu rtx4090 --param n=256 --param k=160
for i in 1 2; do
	expect 0 "$right" run ladder/hgemm --gpu rtx4090 --size small --stats "$tmp/$i.json"
	grep '^ "\(cycles\|result_hash\)"' "$tmp/$i.json" >"$tmp/$i"
done
check "two figures" [ "$(wc -l <"$tmp/1")" = 2 ]
check "twice the same" cmp "$tmp/1" "$tmp/2"

# The published times: their file has the cycles of a quarter of the chip at 2.52 GHz, and names kernels that are there.
published=scripts/hardware/published/spatters2024-rtx4090.json
sed 's/{"name": "ladder/\n&/g' $published | sed -n 's/.*"n=\([0-9]*\)", "k=\([0-9]*\)".*"cycles": \([0-9]*\).*/\1 \2 \3/p' |
	awk '{ printf "%.0f\n", $3 / 2520 / 4 * 4096 * 4096 * 4096 / $1 / $1 / $2 }' >"$tmp/us"
printf '%s\n' 4680 2400 1080 1030 1000 895 >"$tmp/want"
check "published: six times" cmp "$tmp/us" "$tmp/want"
sed 's/"n=[0-9]*", "k=[0-9]*"/"n=128", "k=32"/g' $published >"$tmp/small.json"
"$W" correlate "$tmp/small.json" >"$tmp/text" 2>&1
check "published: on a quarter of the machine" grep -q "^modelled  rtx4090, 32 SMs at 2520 MHz" "$tmp/text"
check "published: six kernels" grep -q "^all  *6 rows" "$tmp/text"

# Slips in the kernels.
of() { # of KERNEL NEXT SED: SED within a kernel
	printf '%s\n' "/entry mma_$1(/,/entry mma_$2(/$3"
}
ladder=ladder/hgemm/hgemm_ladder
noticed $ladder "$(of naive tiled 's/bar.sync/\/\/ bar.sync/')" --gpu a100 --param step=1 --param k=256
noticed $ladder "$(of tiled permuted 's/\(st.global.v2.f32.*rd[0-9]*\)]/\1+8]/')" --gpu a100 --param step=2
noticed $ladder "$(of permuted registers 's/m8n8.x4.shared/m8n8.x4.trans.shared/')" --gpu a100 --param step=3
noticed $ladder "$(of registers stages 's/bar.sync/\/\/ bar.sync/')" --gpu a100 --param step=4 --param k=256
noticed $ladder "$(of stages large 's/m8n8.x4.shared/m8n8.x4.trans.shared/')" --gpu a100 --param step=5
slipped $ladder "$(of stages large 's/wait_group 1/wait_group 2/')" --gpu a100 --param step=5 --param k=512
check "a tile read before it has come" grep -q "has not waited for it (cp.async.wait_group)" "$tmp/first"
noticed $ladder "$(of large none 's/m8n8.x2.shared/m8n8.x2.trans.shared/')" --gpu a100 --param step=6

expect 2 "parameter n = 192 is not a multiple of 128" run ladder/hgemm --gpu a100 --param n=192
expect 2 "parameter k = 48 is not a multiple of 32" run ladder/hgemm --gpu a100 --param k=48
expect 2 "parameter step = 7 is not within 0..6" run ladder/hgemm --gpu a100 --param step=7
expect 0 "ladder/hgemm " list workloads
