#!/bin/sh
# The machine of the papers, gtx480v3: how far apart a lone warp's dependent instructions issue is what GPGPU-Sim 3.2.2 was
# measured to do (10 an addition, 8 a load from shared memory, 4 a hit in L1D), and an integer product goes to the SFU's pipe.
. "$(dirname "$0")/../rig/cli_rig.sh"

# kernel COPIES BODY SETUP: a loop of P0 turns over COPIES times BODY
kernel() {
	printf '.version 6.3\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .pred %%p<2>; .reg .b32 %%r<9>; .reg .b64 %%a<9>; .shared .align 16 .b8 sh[64];\n'
	printf 'ld.param.u64 %%a1, [p]; ld.param.u32 %%r8, [n]; mov.u32 %%r1, 0; mov.u32 %%r2, 5; mov.u32 %%r7, 0;\n%s\nL:\n' "$3"
	i=0
	while [ $i -lt "$1" ]; do
		printf '%s\n' "$2"
		i=$((i + 1))
	done
	printf 'add.u32 %%r7, %%r7, 1; setp.lt.u32 %%p1, %%r7, %%r8; @%%p1 bra L;\nst.global.u32 [%%a1+128], %%r1; ret;\n}\n'
}

# cycles COPIES TURNS BODY SETUP [THREADS]
cycles() {
	kernel "$1" "$3" "$4" >"$tmp/k.ptx"
	"$W" run "$tmp/k.ptx" --kernel k --grid 1 --block "${5:-32}" --arg "u32[1024]=0" --arg u32="$2" --gpu gtx480v3 --warp-sched lrr --stats - --format json |
		sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' | head -1
}

# apart BODY SETUP [THREADS]: cycles that a copy more of BODY costs, loop, launch and cold caches cancelled; rounded
apart() {
	echo "$(cycles 8 60 "$@") $(cycles 4 60 "$@") $(cycles 8 20 "$@") $(cycles 4 20 "$@")" |
		awk 'NF == 4 { printf "%.0f", ($1 - $2 - $3 + $4) / 160 }'
}

add='add.u32 %r1, %r1, %r2;'
is() { check "$1: $2 cycles ($3)" test "$2" = "$3"; }
is "a dependent addition" "$(apart "$add" '')" 10
shared='mov.u32 %r3, sh; st.shared.u32 [%r3], 0;'
is "a dependent load from shared memory and an addition" "$(apart 'ld.shared.u32 %r4, [%r3]; add.u32 %r3, %r3, %r4;' "$shared")" 18
is "a dependent hit in L1D and an addition" \
	"$(apart 'ld.global.u64 %a3, [%a2]; add.u64 %a2, %a2, %a3;' 'mov.u64 %a2, %a1;')" 14
# 32 warps: a product every second cycle in the SFU's one pipe; in the two SP units it would be one a cycle.
is "32 warps' independent products" "$(apart 'mul.lo.u32 %r4, %r1, %r2;' '' 1024)" 64

# What is only written costs DRAM twice: 256 lines of 128 B in four bursts of two reads and two writes, beside the two arrays
# that are read (and some lines of instructions and parameters).
"$W" run vecadd --param n=8192 --gpu gtx480v3 --stats - --format json >"$tmp/v.json"
bursts() { sed -n '/^ *"dram": {/,/^ *}/s/^ *"'"$1"'": \([0-9]*\),*$/\1/p' "$tmp/v.json" | head -1; }
check "reads of vecadd: $(bursts reads) bursts (1536 and a few)" test "$(bursts reads)" -ge 1536 -a "$(bursts reads)" -lt 1556
check "writes of vecadd: $(bursts writes) bursts (512)" test "$(bursts writes)" = 512

# Whose L2 and whose index of L1D is whose. The machines of that simulator have its L2, those of Huzaifa's paper, whose memory
# is GEMS', have not. Lee's paper is older than the hashed index.
for gpu in gtx480v3 fermi28 fermi30 m2090 gtx980 apu15 apu3; do
	case $gpu in apu*) want="lazy 64 64 64" ;; *) want="fetch 12 8 8" ;; esac
	case $gpu in apu* | fermi28) want="$want linear" ;; *) want="$want fermi" ;; esac
	got=$(for key in l2.write_miss l2.miss_queue noc.request_queue noc.reply_queue l1d.hash; do
		"$W" debug vecadd --size small --gpu $gpu --batch -ex "show $key" | awk 'NR == 1 { print $2 }'
	done | tr '\n' ' ')
	check "L2 and index of L1D of $gpu: $got" test "$got" = "$want "
done

# Sizes that no paper's table gives are that simulator's: 2 MSHRs in L1I; in each of 12 slices of L2, 64 sets of 8 ways.
for gpu in gtx480v3 fermi30 m2090; do
	got=$(for key in l1i.mshrs l2.slices l2.sets l2.ways l2.mshrs l2.latency dram.latency; do
		"$W" debug vecadd --size small --gpu $gpu --batch -ex "show $key" | awk 'NR == 1 { print $2 }'
	done | tr '\n' ' ')
	check "sizes of $gpu: $got" test "$got" = "2 2 64 8 32 120 100 "
done
