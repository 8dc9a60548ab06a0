#!/bin/sh
# Slips in the PTX of workloads - a barrier less, another constant, a comparison off by one - are noticed by the checks
# of their host programs, in the small size that the other tests run.
. "$(dirname "$0")/../rig/cli_rig.sh"
. tests/rig/slips_rig.sh

cp -r scripts/workloads/lib "$tmp"

for workload in dwthaar dxtc montecarlo radixsort; do
	slipped $workload ""
	check "$workload as it is passes its check" [ $got -eq 0 ]
done

# A missing barrier shows when warps drift apart, which some scheduler makes them do.
without() {
	change=$(nth "$1" bar.sync "$2" d)
	for sched in gto tl-gto elf lrr elf++ none; do
		[ $sched = none ] && break
		slipped "$1" "$change" --warp-sched $sched
		grep -q '^1 .*CHECK FAILED\|^3 .*out of bounds' "$tmp/first" && break
	done
	check "$1 without barrier $2: noticed under $sched" [ $sched != none ]
}
without dwthaar 1
without dwthaar 2
without dwthaar 3
without dwthaar 4
noticed dwthaar "$(nth dwthaar 0f3F3504F3 1 s/0f3F3504F3/0f3F350500/)" # 1 / sqrt 2, to six digits
noticed dwthaar "$(nth dwthaar sub.f32 2 s/sub/add/)"

without dxtc 4
without dxtc 6
noticed dxtc "$(nth dxtc cvt.rmi.f32.f32 3 s/rmi/rpi/)"
noticed dxtc "$(nth dxtc 0f3F000000 1 s/0f3F000000/0f3ECCCCCD/)" # rounds up from 0.6 on
noticed dxtc "$(nth dxtc ', 1431655765' 1 s/1431655765/1431655764/)"
noticed dxtc "$(nth dxtc ', 969' 1 s/969/713/)" # the last round over the codes is missing
noticed dxtc "$(nth dxtc setp.eq.f32 1 's/eq.f32/lt.f32/')"
noticed dxtc "$(nth dxtc geu.f32 2 s/geu/ltu/)"

without montecarlo 1
noticed montecarlo "$(nth montecarlo neg.f32 1 s/neg/mov/)"
noticed montecarlo "$(nth montecarlo 0f3DA3D70A 1 s/0f3DA3D70A/0f3CA3D70A/)" # the tail begins at 0.02
noticed montecarlo "$(nth montecarlo 0f3CE2756C 1 s/0f3CE2756C/0f3CE27000/)" # a coefficient's fifth digit
noticed montecarlo "$(nth montecarlo max.f32 1 's/0f00000000/0fBC23D70A/')"  # payoffs down to -0.01
noticed montecarlo "$(nth montecarlo 0f3FB8AA3B 1 s/0f3FB8AA3B/0f3FB8AA00/)" # log2 e
noticed montecarlo "$(nth montecarlo 'setp.ge.u32' 1 's/ge/gt/')"

without radixsort 3
without radixsort 12
without radixsort 41
without radixsort 42
noticed radixsort "$(nth radixsort ', 511;' 1 s/511/510/)"
noticed radixsort "$(nth radixsort 'setp.eq.s32' 19 s/eq/ne/)"
noticed radixsort "$(nth radixsort 'sub.s32' 22 's/sub/add/')"

# What parameters choose: other kernels, other CTAs, a part of the program.
chosen() {
	slipped "$1" "" $2
	check "$1 with $2 passes its check" [ $got -eq 0 ]
}
transposed="--param iterations=0"
chosen kmeans "$transposed"
chosen kmeans "--param threads=64"
noticed kmeans "$(nth kmeans ld.global.f32 1 's/]/+4]/')" $transposed
noticed kmeans "$(nth kmeans st.global.f32 1 d)" $transposed

small_tiles="--param tile=8"
chosen nw/nw8 "$small_tiles"
noticed nw/nw8 "$(nth nw/nw8 'setp.gt.u32' 1 's/, 7;/, 6;/')" $small_tiles
noticed nw/nw8 "$(nth nw/nw8 'max.s32' 1 's/max/min/')" $small_tiles

for short in 1 3 5; do
	chosen sortnet/sortnet_short "--param short=$short"
done
noticed sortnet/sortnet_short "/entry sort_short/,\$s/%r53, 3;/%r53, 65;/" --param short=1 # one merge in place of six
noticed sortnet/sortnet_short "/entry sort_short/,\$s/%r55, 3;/%r55, 5;/" --param short=3  # without the last stride
noticed sortnet/sortnet_short "/entry sort_short/,\$s/+6144/+6148/" --param short=2

chosen btree "--param regs=0"
chosen blackscholes "--param regs=49"

chosen eip ""
noticed eip "$(nth eip xor.b32 3 's/xor/or/')"
noticed eip "$(nth eip ', 3200' 1 's/3200/3180/')"
noticed eip "$(nth eip ', 724874' 1 's/724874/724873/')"
