#!/bin/bash
# screenshots.sh: pictures of every view from real runs, into screenshots/ as text and (with rsvg-convert) PNG.
#
#   tests/screenshots.sh [PROGRAM] [DIRECTORY]      default: ./warpdbg screenshots
#
# The runs are deterministic; only the simulated rate in the title depends on the host.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:-$here/../warpdbg}")
out=${2:-$here/../screenshots}
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/shots"
${CC:-gcc} -std=gnu17 -O1 -D_GNU_SOURCE -o "$work/shot" "$here/tools/shot.c" -lvterm -lutil

# Where the pictures are taken: in the middle of hotspot, when the first CTAs have been replaced.
at_cycle() {
	echo "wait (wd)"
	echo "line break cycle 9000"
	echo "wait cycle 9000"
	echo "line continue"
	echo "wait cycle 9,000"
	echo "settle"
}

# All views at one size: views SIZE NAME [OPTION...]
views() {
	local size=$1 name=$2
	shift 2
	{
		at_cycle
		echo "line focus sm 1 warp 12"
		echo "settle"
		for view in 1-overview 2-sm 3-phases 4-stalls 5-caches 6-memory 7-kernels 8-source 0-log; do
			echo "keys ${view%%-*}"
			echo "settle"
			echo "shot $work/shots/${view#*-}-$name"
		done
	} | HOME=$work INPUTRC=/dev/null "$work/shot" -s "$size" -- "$program" debug hotspot "$@"
}

views 80x24 80x24
views 200x60 200x60
# Many launches: the kernels of a wavefront, one after the other.
{
	echo "wait (wd)"
	echo "line break cycle 60000"
	echo "wait cycle 60000"
	echo "line continue"
	echo "wait cycle 60,000"
	echo "keys 7"
	echo "settle"
	echo "shot $work/shots/kernels-nw-120x40"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 120x40 -- "$program" debug nw
# Figures of one launch: the slow one of bfs.
{
	echo "wait (wd)"
	echo "line continue"
	echo "wait check passed"
	echo "line scope kernel 10"
	echo "wait Figures are of"
	echo "keys 4"
	echo "settle"
	echo "shot $work/shots/scope-120x40"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 120x40 -- "$program" debug bfs --size small
# A swap of virtual threads: who leaves, who comes, who waits without a slot.
{
	echo "wait (wd)"
	echo "line break cta-swap-out sm=2 if e.cycle > 1000"
	echo "wait Breakpoint 1"
	echo "line continue"
	echo "wait without a slot"
	echo "keys 2"
	echo "settle"
	echo "shot $work/shots/sm-swap-150x58"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 150x58 -- "$program" debug spmv --cta-virtual vt --set num_sms=4
# SMs that change hands, some of them too late: the README's ten minutes.
{
	echo "wait (wd)"
	echo "line break preempt-done if e.latency_us > 15"
	echo "wait Breakpoint 1: preempt-done"
	echo "line continue"
	echo "wait latency_us 16"
	echo "keys 7"
	echo "settle"
	echo "shot $work/shots/kernels-preempt-140x45"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 140x45 -- "$program" debug blackscholes concurrent/realtime --size small \
	--param first_us=60 --partition spatial --preempt drain --dynamic-idempotence
# A CUDA program as it is, at a line of its kernel: where nvcc is, else the picture stays.
if command -v nvcc >/dev/null; then
	cat >"$work/saxpy.cu" <<'CUDA'
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 1 << 18;
	float *x, *y;
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	for (int i = 0; i < n; i++) {
		x[i] = i;
		y[i] = 1;
	}
	for (int k = 0; k < 3; k++)
		saxpy<<<n / 256, 256>>>(n, 2, x, y);
	cudaDeviceSynchronize();
	printf("y[7] = %g\n", y[7]);
}
CUDA
	nvcc -arch=sm_75 -lineinfo -o "$work/saxpy" "$work/saxpy.cu"
	{
		echo "wait (wd)"
		echo "line break saxpy.cu:7"
		echo "wait Breakpoint 1"
		echo "line continue"
		echo "wait more hits"
		echo "settle"
		echo "keys 8"
		echo "settle"
		echo "shot $work/shots/source-cuda-140x28"
	} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 140x28 -- "$program" debug -- "$work/saxpy"
fi
# The links of a mesh, and a packet's way.
{
	echo "wait (wd)"
	echo "line goto 7000"
	echo "wait cycle 7,000"
	echo "keys 6\\ti"
	for k in C C o C C B B; do # right twice; from there two nodes on and two down
		case $k in o) echo "keys o" ;; *) echo "keys \\e[$k" ;; esac
	done
	echo "settle"
	echo "shot $work/shots/mesh-100x30"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 100x30 -- "$program" debug hotspot --gpu apu15
# Warps over time: the beginning of hotspot, and CTAs under virtual threads. A process of its own runs it again.
{
	echo "wait (wd)"
	echo "line until 4000"
	echo "wait cycle 4,000"
	echo "keys _"
	echo "wait cycles a column"
	echo "settle"
	echo "settle"
	echo "shot $work/shots/lanes-120x40"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 120x40 -- "$program" debug hotspot --size small
{
	echo "wait (wd)"
	echo "line until 1500"
	echo "wait cycle 1,500"
	echo "line focus sm 1"
	echo "keys _\\twww"
	echo "settle"
	echo "keys c"
	for _ in {1..5}; do
		echo "keys \\e[D"
	done
	echo "settle"
	echo "settle"
	echo "shot $work/shots/lanes-vt-100x24"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 100x24 -- "$program" debug hotspot --size small --cta-virtual vt \
	--set sm.ctas=2
# The lines of L1D while kmeans thrashes.
{
	echo "wait (wd)"
	echo "line until 20000"
	echo "wait cycle 20,000"
	echo "keys #"
	echo "settle"
	echo "keys \\t\\e[C\\e[B"
	echo "settle"
	echo "settle"
	echo "shot $work/shots/map-100x30"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 100x30 -- "$program" debug kmeans
# The roofline of matmul, and its way there.
{
	echo "wait (wd)"
	echo "line continue"
	echo "wait finished"
	echo "keys ^"
	echo "settle"
	echo "keys \\tt"
	echo "settle"
	echo "settle"
	echo "shot $work/shots/roof-150x45"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 150x45 -- "$program" debug matmul --size small
# Two machines side by side: the first different decision, then the middle of the run.
compared() { # compared SIZE NAME [OPTION...]
	local size=$1 name=$2
	shift 2
	{
		echo "wait (wd)"
		echo "line continue"
		echo "wait First different decision"
		at_cycle
		echo "keys 9"
		echo "settle"
		echo "shot $work/shots/compare-$name"
	} | HOME=$work INPUTRC=/dev/null "$work/shot" -s "$size" -- "$program" debug hotspot --compare '--warp-sched lrr' "$@"
}
compared 80x24 80x24
compared 200x60 200x60
compared 80x24 ascii --ascii --no-color
# The phases of two kernels, with the cursor on them.
{
	echo "wait (wd)"
	echo "line continue"
	echo "wait check passed"
	echo "keys 3\\t"
	echo "settle"
	echo "keys \\e[D"
	for _ in {1..24}; do
		echo "keys \\e[D"
	done
	echo "settle"
	echo "shot $work/shots/phases-kmeans-120x40"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 120x40 -- "$program" debug kmeans
{
	at_cycle
	echo "shot $work/shots/overview-ascii"
	echo "keys 4"
	echo "settle"
	echo "shot $work/shots/stalls-ascii"
	echo "keys 3"
	echo "settle"
	echo "shot $work/shots/phases-ascii"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 80x24 -- "$program" debug hotspot --ascii --no-color
{
	at_cycle
	echo "keys ?"
	echo "settle"
	echo "shot $work/shots/help-100x40"
} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 100x40 -- "$program" debug hotspot

# CUDA lines in the source view: a kernel compiled with line information, where clang is there to do it.
if command -v clang >/dev/null; then
	clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc -nocudalib -fdeclspec \
		-Xclang -target-feature -Xclang +ptx63 -O2 -gline-tables-only -include "$here/../configs/kernels/device.h" \
		-S -o "$work/matmul.ptx" "$here/../configs/kernels/matmul.cu"
	{
		echo "wait (wd)"
		echo "line break cycle 6000"
		echo "wait cycle 6000"
		echo "line continue"
		echo "wait cycle 6,000"
		echo "line focus sm 1 warp 12"
		echo "keys 8"
		echo "settle"
		echo "shot $work/shots/source-cuda-120x40"
	} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 120x40 -- "$program" debug "$work/matmul.ptx" --kernel matmul \
		--grid 16,16 --block 16,16 --arg 'f32[65536]=rand' --arg 'f32[65536]=rand' --arg 'f32[65536]=zero' --arg s32=256
fi

# On a light background, and on terminals of 16 colours, dark and light.
mkdir "$work/terminfo"
tic -o "$work/terminfo" "$here/tools/xterm-16color.ti"
on_terminal() { # on_terminal NAME [OPTION OF shot...]
	local name=$1
	shift
	{
		at_cycle
		for view in 1-overview 3-phases 4-stalls 8-source; do
			echo "keys ${view%%-*}"
			echo "settle"
			echo "shot $work/shots/${view#*-}-$name"
		done
	} | HOME=$work INPUTRC=/dev/null "$work/shot" -s 100x40 "$@"
}
sixteen=(-e TERM=xterm-16color -e "TERMINFO=$work/terminfo")
on_terminal light -l -- "$program" debug hotspot --palette light
on_terminal 16-colours "${sixteen[@]}" -- "$program" debug hotspot --palette dark
on_terminal 16-colours-light -l "${sixteen[@]}" -- "$program" debug hotspot --palette light

# PNG with a palette of 64 colours: anti-aliased text needs no more, and the files are a third of the size.
picture() { # picture FILE.svg FILE.png
	rsvg-convert "$1" -o "$work/full.png"
	if command -v convert >/dev/null; then
		convert "$work/full.png" +dither -colors 64 -define png:compression-level=9 -strip "PNG8:$2"
	else
		mv "$work/full.png" "$2"
	fi
}

rm -f "$out"/*.svg
for text in "$work"/shots/*.txt; do
	name=$(basename "$text" .txt)
	mv "$text" "$out/$name.txt"
	if command -v rsvg-convert >/dev/null; then
		picture "$work/shots/$name.svg" "$out/$name.png"
	fi
done
command -v rsvg-convert >/dev/null || echo "screenshots: no rsvg-convert (package librsvg2-bin): text only" >&2
command -v convert >/dev/null || echo "screenshots: no convert (package imagemagick): larger PNG files" >&2
ls "$out" | wc -l | sed "s|\$| files in $out|"
