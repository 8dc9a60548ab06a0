#!/bin/sh
# The programs in scripts/workloads/tensor beside hgemm: each is right on the machines that have its instructions, and
# refused by name on the others; the same run twice gives the same cycles and the same results; their checks notice slips in
# the PTX, as if a fault were in the kernel; parameters out of range are refused by name.
. "$(dirname "$0")/../rig/cli_rig.sh"
. tests/rig/slips_rig.sh

right="finished, check passed"
flash="--param d=128 --param causal=1"
for w in softmax layernorm flash2 igemm sparse decode moe; do
	expect 0 "$right" run tensor/$w --gpu rtx4090 --size small
	for i in 1 2; do
		expect 0 "$right" run tensor/$w --gpu a100 --size small --stats "$tmp/$w$i.json"
		grep '^ "\(cycles\|result_hash\)"' "$tmp/$w$i.json" >"$tmp/$w$i"
	done
	check "$w twice: two figures" [ "$(wc -l <"$tmp/${w}1")" = 2 ]
	check "$w twice: the same" cmp "$tmp/${w}1" "$tmp/${w}2"
done
expect 0 "$right" run tensor/flash2 --gpu rtx4090 --size small $flash
expect 0 "$right" run tensor/flash2 --gpu a100 --size small $flash
expect 0 "$right" run tensor/flash2 --gpu a100 --size small $flash --param ahead=0
expect 0 "$right" run tensor/flash2 --gpu a100 --size small --param d=128
expect 0 "$right" run tensor/flash2 --gpu a100 --size small --param causal=1
for w in softmax layernorm decode moe; do
	expect 0 "$right" run tensor/$w --gpu gtx480 --size small
	expect 0 "$right" run tensor/$w --gpu rtx2080ti --size small
done
for w in flash2 igemm sparse; do
	expect 2 "needs sm_80, this machine is sm_75" run tensor/$w --gpu rtx2080ti --size small
	expect 2 "needs sm_80, this machine is sm_20" run tensor/$w --size small
done

# Inputs that are no multiples of what a CTA or a warp takes.
expect 0 "$right" run tensor/softmax --gpu a100 --param rows=8 --param columns=4
expect 0 "$right" run tensor/layernorm --gpu a100 --param rows=4 --param columns=516
expect 0 "$right" run tensor/flash2 --gpu a100 --param n=192 --param heads=1 --param d=128 --param causal=1
expect 0 "$right" run tensor/decode --gpu a100 --size small --param length=1 --param splits=3
expect 0 "$right" run tensor/decode --gpu a100 --size small --param length=17 --param d=128 --param splits=1
expect 0 "$right" run tensor/moe --gpu a100 --param tokens=1 --param experts=2 --param width=16
expect 0 "$right" run tensor/moe --gpu a100 --param tokens=65 --param experts=64 --param width=16 --param skew=8

# What a step gains.
cycles() { # cycles PROGRAM OPTIONS...
	"$W" run --gpu a100 "$@" --stats "$tmp/s.json" >/dev/null 2>&1
	sed -n 's/^ "cycles": \([0-9]*\),/\1/p' "$tmp/s.json"
}
faster() { # faster NAME PROGRAM OPTION OPTION OPTIONS...: the second option takes less time than the first
	name=$1 program=$2 a=$3 b=$4
	shift 4
	check "$name" [ "$(cycles "$program" --param "$b" "$@")" -lt "$(cycles "$program" --param "$a" "$@")" ]
}
faster "softmax: loads of 16 B in two passes for three" tensor/softmax step=1 step=2 --size small
faster "layernorm: loads of 16 B" tensor/layernorm step=1 step=2 --size small
faster "layernorm: the row in registers" tensor/layernorm step=2 step=3 --size small
faster "igemm: tensor cores" tensor/igemm step=1 step=2 --size small
faster "sparse: half the products" tensor/sparse step=1 step=2 --size small
faster "flash2: a block ahead" tensor/flash2 ahead=0 ahead=1 --size small
faster "decode: shares" tensor/decode splits=1 splits=4 --size small

# Slips in the kernels.
on="--gpu a100"
noticed tensor/softmax "$(nth tensor/softmax 0f3FB8AA3B 1 s/0f3FB8AA3B/0f3FB8A000/)" # log2 e, its fifth digit
noticed tensor/softmax "/entry softmax_warp/,/entry softmax_cta/s/, 16, 31, -1/, 8, 31, -1/"
noticed tensor/softmax "/entry softmax_cta/,\$s/+56\]/+48]/" # a warp's share
noticed tensor/layernorm "$(nth tensor/layernorm 0f3727C5AC 1 s/0f3727C5AC/0f00000000/)" # epsilon
noticed tensor/layernorm "/entry layernorm_vector/,/entry layernorm_cta/s/, 1, 31, -1/, 2, 31, -1/"
noticed tensor/layernorm "/entry layernorm_cta/,\$s/bar.sync/\/\/ bar.sync/"
noticed tensor/flash2 "s/x4.trans.shared/x4.shared/" $on
noticed tensor/flash2 "$(nth tensor/flash2 ex2.approx 1 s/ex2/sqrt/)" $on # what was summed before, scaled down
noticed tensor/flash2 "$(nth tensor/flash2 setp.gt.s32 2 s/gt/ge/)" $on --param causal=1
noticed tensor/igemm "s/dp4a.s32.s32/dp4a.s32.u32/" $on --param step=1
noticed tensor/igemm "$(nth tensor/igemm mma.sync 16 s/s32.s8.s8/s32.u8.s8/)" $on --param step=2
noticed tensor/sparse "$(nth tensor/sparse ld.shared.u32 2 s/12416/12288/)" $on # where elements stand, of other rows
noticed tensor/decode "/entry decode_join_64/,\$s/ex2/sqrt/"
noticed tensor/moe "/entry moe_route_thread/,/entry moe_route_warp/s/setp.leu.f32/setp.lt.f32/" --param step=1
noticed tensor/moe "/entry moe_permute_cta/,\$s/bar.sync/\/\/ bar.sync/" --param step=2
for w in flash2 igemm sparse; do # a copy that nobody waits for is a fault of its own
	slipped tensor/$w "s/wait_group 1/wait_group 3/" $on
	cp "$tmp/out" "$tmp/slip"
	check "$w reads what is on its way" grep "has not waited for it" "$tmp/slip"
done
sed 's/cuda.copy(c, dc)/cuda.copy(c, dc) c[n + 5] = c[n + 5] + 1/' scripts/workloads/tensor/igemm.lua >"$tmp/wrong.lua"
expect 1 "C times a vector[1]: got" run "$tmp/wrong.lua" --gpu a100 --param n=576 --param step=2 # not compared by element
expect 1 "C[389]: got" run "$tmp/wrong.lua" --gpu a100 --param n=384 --param step=2

expect 2 "parameter rows = 12 is not a multiple of 8" run tensor/softmax --param rows=12
expect 2 "parameter columns = 4100 is not within 4..4096" run tensor/layernorm --param columns=4100
expect 2 "parameter step = 4 is not within 0..3" run tensor/softmax --param step=4
expect 2 "parameter d = 96 is not a multiple of 64" run tensor/flash2 --gpu a100 --param d=96
expect 2 "parameter causal = 2 is not within 0..1" run tensor/flash2 --gpu a100 --param causal=2
expect 2 "parameters n, heads and d: 1073741824 elements are more" run tensor/flash2 --gpu a100 --param n=16384 --param heads=1024
expect 2 "elements are more than 2^28" run tensor/softmax --param rows=65536 --param columns=65536
expect 2 "parameter n = 100 is not a multiple of 64" run tensor/igemm --gpu a100 --param n=100
expect 2 "parameter n = 100 is not a multiple of 64" run tensor/sparse --gpu a100 --param n=100
expect 2 "parameter splits = 0 is not within 1..256" run tensor/decode --param splits=0
expect 2 "elements are more than 2^28" run tensor/decode --param length=65536 --param sequences=1024
expect 2 "parameter experts = 65 is not within 2..64" run tensor/moe --param experts=65
expect 2 "no parameter 'rwos'" run tensor/softmax --param rwos=8

expect 0 "tensor/flash2 " list workloads
expect 2 "did you mean 'tensor/flash2'" run flash2
