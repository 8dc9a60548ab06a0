#!/bin/sh
# Applications: a CUDA program is a process of its own (tests/rig/cuda_app.c, which gcc compiles and which registers its
# kernel as nvcc's code does). What it computes, how it ends, going back in it, and what becomes of it when it misbehaves.
. "$(dirname "$0")/../rig/cli_rig.sh"
app=$PWD/build/tests/cuda_app
[ -x "$app" ] || make -s build/tests/cuda_app

for c in basic rectangles streams graphs managed threads forks again; do
	expect 0 "$c: all well" run -- "$app" $c
done
expect 0 "own handler" run -- "$app" faults
expect 139 "while a kernel may run: cudaDeviceSynchronize has to come before" run --gpu gtx980 --set cuda.poll_cycles=1 -- "$app" busy
expect 0 "busy: all well" run --gpu titanv -- "$app" busy
expect 0 "signals: all well" run --gpu rtx2060 -- "$app" signals
expect 0 "cudaMalloc: out of device memory: 4398046511104 bytes wanted" run -- "$app" large

# How it ends.
expect 5 finished run -- sh -c 'exit 5'
expect 2 "usage: cuda_app CASE" run -- "$app"
expect 137 finished run -- "$app" dies
expect 137 "the application ended while it waited for the GPU" run -- "$app" killed
expect 2 "./none: No such file or directory" run -- ./none
expect 2 "behind -- an application is expected" run --
expect 2 "--size and --param belong to a host program in Lua" run --size small -- "$app" basic
expect 3 "global load of 4 bytes at 0x7000000000 is out of bounds" run -- "$app" stray
expect 3 "told 716" run -- "$app" misaligned
expect 3 "told 700" run -- "$app" stray
expect 3 "told 710" run -- "$app" asserts
expect 3 "n:12: n: block: [0,0,0], thread: [0,0,0] Assertion \`n\` failed" run -- "$app" asserts
expect 3 "told 719" run -- "$app" traps
expect 3 "not finished after 3000 cycles" run --max-cycles 3000 -- "$app" steps
expect 0 "asked 5 times" run -- "$app" polls
expect 0 "asked 1 times" run --set cuda.poll_cycles=4000 -- "$app" polls

# Its standard output is its own: the report goes elsewhere.
"$W" run -- "$app" steps >"$tmp/own" 2>"$tmp/report" </dev/null
check "standard output is the application's" sh -c "printf 'step 1\nstep 2\nstep 3\nsteps: all well\n' | cmp - '$tmp/own'"
check "the report is on standard error" grep -q " 2 add_one " "$tmp/report"
echo "hello" | "$W" run -- cat >"$tmp/own" 2>/dev/null
check "standard input is the application's" grep -qx hello "$tmp/own"

# The same inputs give the same run.
for i in 1 2; do
	"$W" debug --batch -ex "break kernel-done" -ex c -ex c -ex "print gpu.hash" -- "$app" steps >"$tmp/hash$i" 2>&1 </dev/null
done
check "two runs have one hash" cmp "$tmp/hash1" "$tmp/hash2"
check "and it is a hash" grep -qE '^[0-9a-f]{16}$' "$tmp/hash1"

# Back in time, and from there on another way: the application is started again and fed.
"$W" debug --batch -ex "break kernel-done" -ex c -ex "print gpu.cycle" -ex c -ex c -ex "rc" -ex "rc" -ex "print gpu.hash" \
	-ex "goto 100" -ex "goto 8000" -ex "set warp-sched lrr" -ex "delete" -ex c -ex "info kernels" \
	-- "$app" steps >"$tmp/log" 2>&1 </dev/null
check "a change in the past: it runs to its end" grep -q "The program has finished" "$tmp/log"
check "each line of output once" sh -c "[ \$(grep -c '^step 3' '$tmp/log') = 1 ] && [ \$(grep -c '^step 1' '$tmp/log') = 1 ]"
FICKLE=$tmp/mark timeout 60 "$W" debug --batch -ex c -ex "goto 100" -ex "set warp-sched lrr" -- "$app" fickle >"$tmp/log" \
	2>&1 </dev/null
check "an application that asks for something else is found out" grep -q "does something else than the first time: its call cudaMalloc" "$tmp/log"

# Several on one machine.
expect 0 "cuda_app#2" run -- "$app" steps --and -- "$app" basic
expect 0 "check passed" run hotspot --size small -- "$app" steps
expect 2 "behind -- an application is expected" run -- "$app" steps --and --
expect 2 "unknown option '--nothing'" run -- "$app" steps --and --nothing -- "$app" steps

# Interrupted: nothing is left behind.
"$W" run -- "$app" stands >"$tmp/log" 2>&1 </dev/null &
pid=$!
sleep 1
kill -INT $pid
wait $pid
status=$?
check "Ctrl-C while it stands still ends both" [ $status -eq 130 ]
check "the application has gone" sh -c "! ps -eo args | grep -v grep | grep -q 'cuda_app [s]tands'"

# Another program after it in the debugger: nothing of the application is left.
cat >"$tmp/print.ptx" <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.visible .entry say()
{
	.reg .b64 %d<3>;
	mov.u64 %d1, text;
	cvta.global.u64 %d1, %d1;
	mov.u64 %d2, 0;
	{ .param .b64 f; .param .b64 a; .param .b32 r;
	st.param.b64 [f], %d1; st.param.b64 [a], %d2;
	call.uni (r), vprintf, (f, a); }
	ret;
}
PTX
"$W" debug --batch -ex c -ex "file $tmp/print.ptx --kernel say --grid 1 --block 1" -ex c -- "$app" steps >"$tmp/log" 2>&1 </dev/null
check "a kernel's text after an application" grep -qx hello "$tmp/log"
