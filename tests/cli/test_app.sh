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
expect 0 "while a kernel may run, and waits for it; a chip without concurrent access ends the program" run --gpu gtx980 --set cuda.poll_cycles=1 -- "$app" busy
expect 0 "signals: all well" run --gpu rtx2060 -- "$app" signals
expect 0 "cudaMalloc: out of device memory: 4398046511104 bytes wanted" run -- "$app" large

expect 0 "dependents: all well" run --gpu h200 -- "$app" dependents
expect 0 "cudaLaunchAttributeProgrammaticEvent" run --gpu h200 -- "$app" dependents
"$W" debug --gpu h200 --batch -ex c -ex "info launches" -- "$app" dependents >"$tmp/log" 2>&1 </dev/null
check "pairs with the attribute overlap, a captured one too" [ "$(grep -cE "^ *[59] +second .* done, began before [48] ended" "$tmp/log")" -eq 2 ]
check "the first kernel of a graph overlaps nothing" sh -c "grep -E '^ *[0-9]+ +second ' '$tmp/log' | tail -1 | grep -qv 'began before'"

# The driver library, without the run time and with it: one connection serves both.
driver=$PWD/build/tests/cuda_driver_app
make -s "build/tests/cuda_driver_app" "build/tests/cuda_driver_app_both"
expect 0 "driver: all well" run -- "$driver"
expect 0 "cuMemCreate: virtual memory management" run -- "$driver"
expect 0 "driver and run time: all well" run -- "${driver}_both"
check "without warpdbg it says how to start it" sh -c "! LD_LIBRARY_PATH=build/cudart '$driver' 2>'$tmp/log' >&2 && grep -q 'Start it so: warpdbg run' '$tmp/log'"
"$W" debug --batch -ex "break add" -ex c -ex "info kernels" -- "$driver" >"$tmp/log" 2>&1 </dev/null
check "a breakpoint in a kernel that it loads" grep -q "Breakpoint 1, add" "$tmp/log"
check "the driver's call of the launch" grep -qE "^    by cuLaunchKernel from (launches|main)\+0x[0-9a-f]+ in cuda_driver_app( \(cuda_driver_app.c:[0-9]+\))?\$" "$tmp/log"
if [ -r /usr/local/cuda/lib64/stubs/libcuda.so ]; then # every name that NVIDIA's has
	nm -D --defined-only /usr/local/cuda/lib64/stubs/libcuda.so | sed -n 's/.* \(cu[A-Z][A-Za-z0-9_]*\).*/\1/p' | sort -u >"$tmp/theirs"
	nm -D --defined-only build/cudart/libcuda.so.1 | sed -n 's/.* T \(cu[A-Z].*\)/\1/p' | sort -u >"$tmp/ours"
	check "each name of the driver is there" sh -c "[ -z \"\$(comm -23 '$tmp/theirs' '$tmp/ours')\" ]"
fi

# How it ends.
expect 5 finished run -- sh -c 'exit 5'
expect 2 "usage: cuda_app CASE" run -- "$app"
expect 137 finished run -- "$app" dies
expect 137 "the application ended while it waited for the GPU" run -- "$app" killed
expect 2 "./none: No such file or directory" run -- ./none
expect 2 "behind -- an application is expected" run --
expect 2 "--size and --param belong to a host program in Lua" run --size small -- "$app" basic
expect 3 "global load of 4 bytes at 0x7000000000 is out of bounds" run -- "$app" stray
for c in asserts traps crooked; do
	expect 3 "$c: the error it should be" run -- "$app" $c
done
expect 3 "not finished after 3000 cycles" run --max-cycles 3000 -- "$app" steps
expect 0 "asked 5 times" run --gpu gpgpusim_rtx2060 -- "$app" polls
expect 0 "asked 1 times" run --gpu gpgpusim_rtx2060 --set cuda.poll_cycles=4000 -- "$app" polls

# A kernel that waits for the host hangs only if nobody can come: a host that asks may write before it asks again. One
# that asks and asks does not come.
expect 0 "patient: all well" run --gpu rtx2060 -- "$app" patient 1000
expect 0 "patient: all well" run --gpu rtx2060 --set deadlock_cycles=1000 --set cuda.poll_cycles=3000 -- "$app" patient 300
expect 3 "livelock at cycle 1007000: the warps repeat" run --gpu gpgpusim_rtx2060 --set deadlock_cycles=1000 -- "$app" patient 1000000
expect 3 "livelock at cycle 1007000: the warps repeat" run --gpu gpgpusim_rtx2060 --set deadlock_cycles=1000 \
	--set cuda.poll_cycles=30000 -- "$app" patient 1000000

# So may another thread of it, while one waits for the kernel.
for ms in 0 50 1500; do
	expect 0 "helped: all well" run --gpu rtx2060 -- "$app" helped $ms
done
expect 3 "livelock at cycle 225000: the warps repeat" run --gpu rtx2060 -- "$app" helped -1
"$W" debug --gpu rtx2060 --batch -ex c -ex "reverse-step 1000" -ex c -ex "goto 100000" -ex c -- "$app" helped 50 >"$tmp/log" 2>&1 </dev/null
check "in the past it is helped in the same cycle" sh -c "[ \"\$(grep 'finished at cycle' '$tmp/log' | uniq -c | awk '{ print \$1 }')\" = 3 ] && ! grep -qi livelock '$tmp/log'"


# Memory in use that is freed is free in the end, also where something had to be done first; and the same when it is fed.
expect 0 "frees: all well" run --gpu rtx2060 -- "$app" frees
"$W" debug --gpu rtx2060 --batch -ex "break kernel-done" -ex c -ex c -ex c -ex delete -ex c -ex "goto 12000" -ex "set warp-sched lrr" -ex c \
	-- "$app" frees >"$tmp/log" 2>&1 </dev/null
check "and made again" [ "$(grep -c "^The program has finished" "$tmp/log")" -eq 2 ]

# A machine has room for so many launches: it is told once, and the application gets an error.
"$W" run --gpu gtx480 -- "$app" countless >"$tmp/log" 2>&1 </dev/null
check "too many launches end in an error" grep -q "countless: all well" "$tmp/log"
check "which is told once" [ "$(grep -c 'more than 262144 kernel launches on one machine' "$tmp/log")" -eq 1 ]

# Threads of OpenMP that have nothing to do sleep, unless their user wants them to spin.
for policy in passive active; do
	[ $policy = passive ] || export OMP_WAIT_POLICY=$policy
	# shellcheck disable=SC2016
	expect 0 "policy=$policy" run -- sh -c 'echo "policy=$OMP_WAIT_POLICY"'
done
unset OMP_WAIT_POLICY

# Its standard output is its own: the report goes elsewhere.
"$W" run -- "$app" steps >"$tmp/own" 2>"$tmp/report" </dev/null
check "standard output is the application's" sh -c "printf 'step 1\nstep 2\nstep 3\nsteps: all well\n' | cmp - '$tmp/own'"
check "the report is on standard error" grep -q " 2 add_one " "$tmp/report"
echo "hello" | "$W" run -- cat >"$tmp/own" 2>/dev/null
check "standard input is the application's" grep -qx hello "$tmp/own"

# Who launches: the function that <<<>>> stands in, also in another object.
for a in "$app" "${app}_static"; do
	"$W" debug --batch -ex c -ex "info kernels" -ex "info launches" -- "$a" steps >"$tmp/log" 2>&1 </dev/null
	check "the host's call of a launch" grep -qE "^    by cudaLaunchKernel from (launch|steps)\+0x[0-9a-f]+ in ${a##*/}( \(cuda_app.c:[0-9]+\))?\$" "$tmp/log"
	check "a row for each" [ "$(grep -cE "^[0-9]+ +add_one .* done +cudaLaunchKernel from (launch|steps)\+0x" "$tmp/log")" -eq 3 ]
done
if command -v addr2line >/dev/null; then # the program is compiled with -g
	line=$(sed -n 's/^0 .*(cuda_app.c:\([0-9]*\))$/\1/p' "$tmp/log")
	check "and the line of the launch: $line" sh -c "sed -n '${line:-0}p' tests/rig/cuda_app.c | grep -q '__cudaPushCallConfiguration('"
fi
mkdir "$tmp/tools" # an addr2line that answers nonsense, or ends at once: the function alone
for answer in 'echo "??:0"' 'echo "x.c:?"' 'echo "x.c:12y"' 'echo :3' 'printf abc' 'exit 1' 'kill -9 $$'; do
	printf '#!/bin/sh\n%s\n' "$answer" >"$tmp/tools/addr2line"
	chmod +x "$tmp/tools/addr2line"
	PATH=$tmp/tools:$PATH "$W" debug --batch -ex c -ex "info launches" -- "$app" steps >"$tmp/log" 2>&1 </dev/null
	check "no line: $answer" grep -qE "^0 .*cudaLaunchKernel from (launch|steps)\+0x[0-9a-f]+ in cuda_app\$" "$tmp/log"
done
for f in json csv; do
	"$W" run --format $f -- "$app" steps 2>/dev/null >"$tmp/$f" </dev/null
done
check "in CSV" grep -qE '^kernel.call,2,"cudaLaunchKernel from ' "$tmp/csv"
check "where registers come from" grep -qE '^kernel.regs_from,0,"(cubin|estimate)"' "$tmp/csv"
check "as in JSON" [ "$(sed -n 's/^kernel.regs_from,0,//p' "$tmp/csv")" = "$(sed -n '0,/"regs_from"/s/.*"regs_from": \("[^"]*"\).*/\1/p' "$tmp/json")" ]
"$W" run --format json -- "$app" graphs 2>/dev/null >"$tmp/log" </dev/null
check "in JSON; a graph's launches by the graph's" grep -qE '"call": "cudaGraphLaunch from graphs\+0x[0-9a-f]+ in cuda_app( \(cuda_app.c:[0-9]+\))?"' "$tmp/log"

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

# Its answers on record have a budget: what is beyond it can be looked at, but not changed.
"$W" debug --set history.host_mb=2 --batch --keep-going -ex "break kernel-done" -ex c -ex c -ex c -ex c -ex "delete" -ex c -ex rc \
	-ex "goto 100" -ex "info history" -ex "set warp-sched lrr" -ex c -ex "info kernels" -- "$app" fetches >"$tmp/log" 2>&1 </dev/null
check "it says from where on" grep -q "cuda_app: history.host_mb=2 is full: from cycle [0-9,]* on the past can be looked at, but not changed" "$tmp/log"
check "an early place can be changed" sh -c "[ \$(grep -c '^fetched 4' '$tmp/log') = 2 ] && ! grep -q 'cannot be brought here' '$tmp/log'"
check "info history has the budget" grep -q "what applications were told: [0-9.]* of 2 MiB" "$tmp/log"
"$W" debug --set history.host_mb=2 --batch --keep-going -ex "break kernel-done" -ex c -ex c -ex c -ex c -ex "goto 10000" -ex "info history" \
	-ex "set warp-sched lrr" -ex "print gpu.cycle" -ex delete -ex c -- "$app" fetches >"$tmp/log" 2>&1 </dev/null
check "a late one only looked at" grep -q "cuda_app cannot be brought here, so the past is only to be looked at" "$tmp/log"
check "and the run goes on from there as it was" grep -q "^fetched 4" "$tmp/log"

# Host clocks: the host's, or in calls the machine's.
clocks() {
	"$W" run --app-clock $1 -- "$2" clocks 2>"$tmp/report" </dev/null >"$tmp/clocks" || cat "$tmp/clocks"
	sed -n 's/^simulated \([0-9]*\) us, clocks \(.*\) \(.*\) \(.*\) \(.*\), time of day \(.*\), ticks \(.*\)/\1 \2 \3 \4 \5 \6 \7/p' "$tmp/clocks"
}
for a in "$app" "${app}_static"; do
	real=$(clocks measured "$a")
	check "nothing said of clocks" sh -c "! grep -q 'the application measured' '$tmp/report'"
	told=$(clocks simulated "$a")
	check "each clock has the machine's time, little more, and not the host's: $told / $real" awk -v "told=$told" -v "real=$real" 'BEGIN {
		n = split(told, t, " "); split(real, r, " "); ok = n == 7
		for (i = 2; i <= n; i++) ok = ok && t[i] >= t[1] - 1 && t[i] < r[3] / 5
		exit !ok }'
	check "the summary says so" grep -q "times that the application measured: its own work as on this host, the GPU's as simulated" "$tmp/report"
done
expect 0 '"app_clock": "simulated"' run --format json --app-clock simulated -- "$app" steps
expect 2 "there is no application" run --app-clock simulated hotspot --size small
for m in measured simulated; do
	"$W" debug --app-clock $m --batch -ex "break kernel-done" -ex c -ex c -ex c -ex "goto 8000" -ex "set warp-sched lrr" -ex delete -ex c \
		-- "$app" timely >"$tmp/$m" 2>&1 </dev/null
done
check "its own times are others when it is started again" grep -q "does something else than the first time: its call cudaMalloc" "$tmp/measured"
check "simulated ones are on record" grep -q "^timely: all well" "$tmp/simulated"

# Several on one machine.
expect 0 "cuda_app#2" run -- "$app" steps --and -- "$app" basic
expect 0 "check passed" run hotspot --size small -- "$app" steps
printf 'kernel 1\nkernel 1\nkernel 1\nsays: all well\n' >"$tmp/want"
printf 'exec "$0" "$1" "$2" >"$3"\n' >"$tmp/to"
"$W" run --partition smk -- sh -c "$(cat "$tmp/to")" "$app" says 1 "$tmp/one" --and -- sh -c "$(cat "$tmp/to")" "$app" says 2 "$tmp/two" >"$tmp/log" 2>&1 </dev/null
check "what kernels print belongs to their program" cmp "$tmp/want" "$tmp/one"
check "and to the other one" sh -c "tr 1 2 <'$tmp/want' | cmp - '$tmp/two'"
check "and to nobody else" sh -c "! grep 'kernel [12]\$' '$tmp/log'"
expect 2 "behind -- an application is expected" run -- "$app" steps --and --
expect 2 "unknown option '--nothing'" run -- "$app" steps --and --nothing -- "$app" steps

# A copy of what it prints: shown as before, with its two outputs apart; in the debugger as far as history goes.
"$W" run --app-output "$tmp/copy" -- sh -c "$app steps; echo told >&2" >"$tmp/own" 2>"$tmp/report" </dev/null
printf 'step 1\nstep 2\nstep 3\nsteps: all well\n' >"$tmp/want"
check "run: standard output is still the application's" cmp "$tmp/want" "$tmp/own"
check "run: its standard error, too" grep -qx told "$tmp/report"
echo told >>"$tmp/want"
check "run: the copy has both" cmp "$tmp/want" "$tmp/copy"
sed -i '$d' "$tmp/want"
"$W" debug --app-output "$tmp/copy" --batch -ex "break kernel-done" -ex c -ex c -ex c -- "$app" steps >"$tmp/log" 2>&1 </dev/null
check "debug: the copy grows" sh -c "head -2 '$tmp/want' | cmp - '$tmp/copy'"
"$W" debug --app-output "$tmp/copy" --batch -ex "break kernel-done" -ex c -ex c -ex c -ex "goto 100" -ex "set warp-sched lrr" \
	-ex "delete" -ex c -- "$app" steps >"$tmp/log" 2>&1 </dev/null
check "debug: of another future nothing is left in it" cmp "$tmp/want" "$tmp/copy"
expect 2 "app-output: $tmp/none/f: No such file" run --app-output "$tmp/none/f" -- "$app" steps
expect 2 "there is no application" run --app-output "$tmp/copy" hotspot --size small
check "the disk is full" sh -c "! '$W' run --app-output /dev/full -- '$app' steps >/dev/null 2>'$tmp/log' </dev/null && grep -q 'app-output: /dev/full: No space' '$tmp/log'"

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

# -rdc: the registers are those of the linked code, with what the functions of other parts need (where nvcc is).
if nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); then
	cat >"$tmp/a.cu" <<'CU'
#include <cstdio>
extern __device__ float f(float *p, int n);
__global__ void k(float *p, int n) { p[threadIdx.x] = f(p, n); }
int main()
{
	float *d;
	cudaFuncAttributes a;
	cudaMalloc(&d, 4096);
	k<<<1, 32>>>(d, 8);
	cudaDeviceSynchronize();
	cudaFuncGetAttributes(&a, k);
	printf("registers %d\n", a.numRegs);
}
CU
	cat >"$tmp/b.cu" <<'CU'
__device__ __noinline__ float f(float *p, int n)
{
	float s[24], r = 0;
	for (int i = 0; i < 24; i++) s[i] = p[i] * n;
	for (int k = 0; k < n; k++)
		for (int i = 0; i < 24; i++) s[i] = s[i] * s[(i + 1) % 24] + p[i + k];
	for (int i = 0; i < 24; i++) r += s[i];
	return r;
}
CU
	(cd "$tmp" && "$nvcc" -rdc=true -arch=sm_75 -Xnvlink -v -o rdc a.cu b.cu) >"$tmp/log" 2>&1
	want=$(sed -n 's/^nvlink info *: used \([0-9]*\) registers.*/\1/p' "$tmp/log")
	check "nvlink tells its registers: $want" [ "${want:-0}" -gt 32 ]
	expect 0 "registers $want" run -- "$tmp/rdc"
	cat >"$tmp/p.cu" <<'CU'
#include <cstdio>
__global__ void primary(int *a, int turns)
{
	cudaTriggerProgrammaticLaunchCompletion();
	int v = threadIdx.x;
	for (int i = 0; i < turns; i++) v = v * 3 + 1;
	a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void secondary(const int *a, int *b, int turns)
{
	int v = 1;
	for (int i = 0; i < turns; i++) v = v * 5 + threadIdx.x;
	cudaGridDependencySynchronize();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	b[i] = v ^ a[gridDim.x * blockDim.x - 1 - i];
}
int main()
{
	int *a, *b, sum = 0, h[256];
	cudaMalloc(&a, 1024);
	cudaMalloc(&b, 1024);
	for (int allowed = 0; allowed < 2; allowed++) {
		cudaLaunchAttribute at[1];
		at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
		at[0].val.programmaticStreamSerializationAllowed = allowed;
		cudaLaunchConfig_t c = {};
		c.gridDim = 4;
		c.blockDim = 64;
		c.attrs = at;
		c.numAttrs = 1;
		cudaMemset(a, 0, 1024);
		primary<<<4, 64>>>(a, 3000);
		cudaLaunchKernelEx(&c, secondary, (const int *)a, b, 1000);
		if (cudaMemcpy(h, b, 1024, cudaMemcpyDeviceToHost)) return 1;
		int s = 0;
		for (int i = 0; i < 256; i++) s = s * 31 + h[i];
		printf("%s\n", allowed && s == sum ? "the same sum" : "a sum");
		sum = s;
	}
}
CU
	(cd "$tmp" && "$nvcc" -arch=sm_90 -o p p.cu) >"$tmp/log" 2>&1
	expect 0 "the same sum" run -- "$tmp/p"
	"$W" debug --batch -ex c -ex "info launches" -ex 'print gpu.kernel[3].ended_at - gpu.kernel[2].started_at < gpu.kernel[1].ended_at - gpu.kernel[0].started_at' \
		-- "$tmp/p" >"$tmp/log" 2>&1 </dev/null
	check "nvcc's dependent overlaps" grep -qE "^3  secondary .* done, began before 2 ended +cudaLaunchKernelEx" "$tmp/log"
	check "and it is done earlier" grep -qx true "$tmp/log"
	# Who launches in a program of nvcc's, and the registers that its machine code has; also of a future made again.
	cat >"$tmp/l.cu" <<'END'
__global__ void add(float *a) { a[threadIdx.x] += 1; }
template <class T> __global__ void scale(T *a, T f) { extern __shared__ T s[]; s[threadIdx.x] = f; a[threadIdx.x] *= s[threadIdx.x]; }
static void step(float *a)
{
	add<<<2, 64>>>(a);
	scale<float><<<dim3(2, 3), 64, 256>>>(a, 2.0f);
}
int main()
{
	float *a;
	cudaStream_t s;
	cudaMalloc(&a, 1024);
	cudaStreamCreate(&s);
	step(a);
	add<<<1, 32, 0, s>>>(a);
	return cudaDeviceSynchronize();
}
END
	(cd "$tmp" && "$nvcc" -g -O0 -arch=sm_75 -Xptxas -v -o l l.cu) >"$tmp/log" 2>&1
	regs=$(sed -n '/_Z3addPf/,/Used/s/.*Used \([0-9]*\) registers.*/\1/p' "$tmp/log")
	for line in "step:5" "step:6" "main:15"; do
		at="cudaLaunchKernel from ${line%:*}\\+0x[0-9a-f]+ in l"
		command -v addr2line >/dev/null && at="$at \\(l.cu:${line#*:}\\)"
		printf '%s$\n' "$at"
	done >"$tmp/calls"
	"$W" debug --batch -ex c -ex "info launches" -ex "goto 7000" -ex "info launches" -ex "set warp-sched lrr" -ex c -ex "info launches" \
		-- "$tmp/l" >"$tmp/log" 2>&1 </dev/null
	for n in 0 1 2; do
		check "nvcc's program, launch $n" [ "$(grep -cE "^$n .* $(sed -n "$((n + 1))p" "$tmp/calls")" "$tmp/log")" -ge 2 ]
	done
	check "kernel, stream, grid, block, dynamic memory, registers" grep -qE "^0  add +0 +2 +64 +0 +$regs  cubin " "$tmp/log"
	check "the same of the template's" grep -qE "^1  scale +0 +2x3 +64 +256 +[0-9]+  cubin " "$tmp/log"
	check "and of another stream's" grep -qE "^2  add +1 +1 +32 +0 +$regs  cubin " "$tmp/log"
else
	echo "skip: no nvcc for registers of -rdc programs, and for who launches"
fi
