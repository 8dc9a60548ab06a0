#!/bin/sh
# Programs that hang, without the debugger: exit status 3 and the chain of who waits for whom on standard error.
# And ~/.warpdbgrc, ./.warpdbgrc: what is in them is there at every start of the debugger, but not in batch mode.
. "$(dirname "$0")/../rig/cli_rig.sh"

hang() { # hang PATTERN KERNEL BLOCK [OPTIONS...]
	text=$1 kernel=$2 block=$3
	shift 3
	expect 3 "$text" run tests/hangs/hangs.ptx --kernel "$kernel" --grid 1 --block "$block" \
		--arg 'u32[64]=zero' --set deadlock_cycles=4000 "$@"
}
hang "livelock at cycle 9000" spin_flag 64
hang "in a cycle of barriers" crossed_barriers 64
hang "a cycle, none of these warps can go on" crossed_barriers 64
hang "the chain ends with a warp that is spinning" half_barrier 64
expect 3 "Deadlock: nothing is under way that could ever wake a warp" debug tests/hangs/hangs.ptx --batch -ex run \
	--kernel crossed_barriers --grid 1 --block 64 --arg 'u32[64]=zero'
hang "waits at barrier 0: 1 of 2 warps have arrived; not there: 1" half_barrier 64
hang "likely a livelock if nobody writes it" spin_flag 64
hang "  of host program hangs: kernel crossed_barriers" crossed_barriers 64 hotspot --size small
hang "  of host program hangs: kernel spin_flag" spin_flag 64 hotspot --size small
expect 3 "  of host program hangs: kernel crossed_barriers" debug hotspot --size small tests/hangs/hangs.ptx \
	--kernel crossed_barriers --grid 1 --block 64 --arg 'u32[64]=zero' --set deadlock_cycles=4000 --batch -ex continue
for how in "run" "debug --batch -ex continue"; do # a fault ends the run for both: the message says whose it is
	expect 3 "  of host program vecadd" $how hotspot --size small configs/kernels/vecadd.ptx --kernel vecadd --grid 64 \
		--block 256 --arg 'f32[16]=iota' --arg 'f32[16]=1' --arg 'f32[16]=zero' --arg u32=16384
	check "$how: of one of them" test "$(grep -c "of host program" "$tmp/out")" -eq 1
done
hang "if one of those holds the lock, it can never release it" simt_lock 32

# Requests and replies that share few places at a port: a cycle of full queues. With enough of them every workload
# passes its own check.
expect 3 "that is a cycle of full queues: none of them ever moves again" run bfs --size small --set noc.shared_buffer=4
expect 3 "caught behind a cycle of full queues" run spmv --size small --set noc.shared_buffer=1 --gpu titanv
for w in bfs spmv vecadd hotspot kmeans histogram matmul; do
	expect 0 "check passed" run $w --size small --set noc.shared_buffer=256
done
expect 0 "request-reply, or protocol, deadlock" explain noc.shared_buffer
expect 2 "noc.shared_buffer: 1025 is not within 0..1024" run bfs --size small --set noc.shared_buffer=1025

# Locks: who took the one that is waited for.
expect 3 "a cycle of locks, if each of these warps still holds what it took" run tests/hangs/circles.ptx \
	--kernel crossed_locks --grid 2 --block 64 --arg 'u32[64]=zero' --set deadlock_cycles=4000

# A limit that comes first.
hang "not finished after 20000 cycles" spin_flag 64 --set deadlock_cycles=100000 --max-cycles 20000

# No hang, but warps that their turn passes by: where scheduler 0 always comes first a note says so, and only there.
expect 3 "note: under lrr a warp stayed ready but was passed over for 28,000 cycles while its SM issued: SM " \
	run kmeans --set warp-sched=lrr --set sm.sched_order=fixed --max-cycles 30000
cp "$tmp/out" "$tmp/said"
check "how often, and the event" grep -qE '[(][0-9]+ times more than 10,000 cycles; event warp-starved[)]' "$tmp/said"
for order in "--set sm.sched_order=fixed --set warp-sched=gto" ""; do
	# shellcheck disable=SC2086
	expect 3 "not finished after 30000 cycles" run kmeans --set warp-sched=lrr $order --max-cycles 30000
	cp "$tmp/out" "$tmp/said"
	check "no warp is passed over: ${order:-lrr}" [ "$(grep -c 'passed over for' "$tmp/said")" -eq 0 ]
done

# Interrupted by hand: the chain too, when a warp spins.
timeout -s INT 2 "$W" run tests/hangs/hangs.ptx --kernel spin_flag --grid 1 --block 64 --arg 'u32[64]=zero' \
	>"$tmp/said" 2>&1
check "Ctrl-C in a spin names it" grep -q "likely a livelock if nobody writes it" "$tmp/said"

# A closed standard input is an empty one, not whatever file is opened first.
timeout 20 "$W" debug vecadd --size small --batch -ex 'until 100' <&- >"$tmp/said" 2>&1
check "standard input closed" [ $? -eq 0 ]
timeout 20 "$W" debug vecadd --size small <&- >"$tmp/said" 2>&1
check "and without commands" [ $? -eq 0 ]

# Standard input that is no terminal: interactive, but plain.
mkdir "$tmp/home" "$tmp/here"
echo 'alias fromhome = echo read at home' >"$tmp/home/.warpdbgrc"
echo 'alias fromhere = echo read here' >"$tmp/here/.warpdbgrc"
start() { # start COMMANDS OPTIONS...
	commands=$1
	shift
	(cd "$tmp/here" && printf "$commands" | HOME=$tmp/home "$W" debug vecadd --size small "$@")
}
start 'fromhome\nfromhere\n' >"$tmp/said" 2>&1
check "both rc files are read" grep -q "read at home" "$tmp/said"
check "the one of this directory too" grep -q "read here" "$tmp/said"
start 'info aliases\n' --batch >"$tmp/said" 2>&1
check "batch mode reads none" grep -q "no aliases" "$tmp/said"
echo 'echo one
nonsense
echo two' >"$tmp/here/.warpdbgrc"
start 'echo three\n' >"$tmp/said" 2>&1
check "a mistake in it names file and line" grep -q ".warpdbgrc:2: error: unknown command 'nonsense'" "$tmp/said"
check "and the debugger goes on" grep -q "three" "$tmp/said"
