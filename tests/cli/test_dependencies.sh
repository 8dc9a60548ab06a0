#!/bin/sh
# `warpdbg analyze dependencies` from outside: kernels whose shares can be worked out by hand, words, formats.
. "$(dirname "$0")/../rig/cli_rig.sh"

# rw(in, out, shift): thread g of the grid (32 threads a CTA, whatever its shape) reads in[g + shift], within the grid,
# twice, and writes out[g]; both reads are one word of the thread. wr(out): writes only. both(in): reads in[g], writes it,
# reads it again. add(in): an atomic on in[0]. wide(in, out): two words at once.
cat >"$tmp/k.ptx" <<'PTX'
.version 6.3
.target sm_70
.address_size 64
#define ID
.visible .entry rw(.param .u64 in, .param .u64 out, .param .u32 shift)
{
	.reg .pred %p<3>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<8>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	mov.u32 %r3, %nctaid.x;
	mad.lo.s32 %r1, %r2, %r3, %r1;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r1, 32, %r4;
	mov.u32 %r6, %nctaid.y;
	mul.lo.s32 %r6, %r6, %r3;
	shl.b32 %r6, %r6, 5;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	ld.param.u32 %r7, [shift];
	add.s32 %r8, %r5, %r7;
	setp.lt.s32 %p1, %r8, 0;
	setp.ge.or.s32 %p1, %r8, %r6, %p1;
	mov.u32 %r9, 1;
	mul.wide.s32 %rd3, %r8, 4;
	add.s64 %rd3, %rd1, %rd3;
	@!%p1 ld.global.u32 %r9, [%rd3];
	@!%p1 ld.volatile.global.u32 %r10, [%rd3];
	mul.wide.s32 %rd4, %r5, 4;
	add.s64 %rd4, %rd2, %rd4;
	st.global.u32 [%rd4], %r9;
	ret;
}
.visible .entry wr(.param .u64 out)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.s32 %r3, %r1, 32, %r2;
	ld.param.u64 %rd1, [out];
	mul.wide.s32 %rd2, %r3, 4;
	add.s64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r3;
	ret;
}
.visible .entry both(.param .u64 in)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.s32 %r3, %r1, 32, %r2;
	xor.b32 %r5, %r2, 1;
	mad.lo.s32 %r5, %r1, 32, %r5;
	ld.param.u64 %rd1, [in];
	mul.wide.s32 %rd2, %r3, 4;
	add.s64 %rd2, %rd1, %rd2;
	ld.global.u32 %r4, [%rd2];
	st.global.u32 [%rd2], %r3;
	bar.sync 0;
	mul.wide.s32 %rd2, %r5, 4;
	add.s64 %rd2, %rd1, %rd2;
	ld.volatile.global.u32 %r4, [%rd2];
	ret;
}
.visible .entry add(.param .u64 in)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [in];
	atom.global.add.u32 %r1, [%rd1], 1;
	ret;
}
.visible .entry wide(.param .u64 in, .param .u64 out)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.s32 %r3, %r1, 32, %r2;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	mul.wide.s32 %rd3, %r3, 8;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.v2.u32 {%r4, %r5}, [%rd4];
	add.s64 %rd4, %rd2, %rd3;
	st.global.v2.u32 [%rd4], {%r4, %r5};
	ret;
}
PTX
sed -i '/^#define/d' "$tmp/k.ptx"

# program BODY: a, b: 4,096 words each of device memory, h: as many of the host's; L(kernel, grid, ...): a launch of CTAs of
# 32 threads. Then what the JSON says of `all`, in the order self ghost other_cta other_same_cta other_older other_host
# input within.
program() {
	cat >"$tmp/p.lua" <<LUA
return { name = "p", help = "p", sizes = { default = {} }, run = function(cuda, p)
	local m = cuda.module("$tmp/k.ptx")
	local a, b, h = cuda.malloc(16384, "a"), cuda.malloc(16384, "b"), cuda.host("u32", 4096)
	local function L(k, grid, ...) cuda.launch(m[k], grid, { 32, 1, 1 }, { ... }) end
	$1
end }
LUA
}
counts() {
	"$W" analyze dependencies "$tmp/p.lua" --format json >"$tmp/j" 2>"$tmp/err" || cat "$tmp/err"
	jq -r '[.all.self, .all.ghost, .all.other_cta, .all.other_same_cta, .all.other_older, .all.other_host, .input, .within] | map(tostring) | join(" ")' "$tmp/j"
}
# says WHAT BODY COUNTS
says() {
	program "$2"
	got=$(counts)
	check "$1: $3 (not $got)" test "$got" = "$3"
}

says "own words" 'L("wr", {8,1,1}, a) L("rw", {8,1,1}, a, b, 0) L("rw", {8,1,1}, b, a, 0)' "512 0 0 0 0 0 0 0"
says "one to the right: a thread a CTA reads its neighbour's, the last one nothing" \
	'L("wr", {8,1,1}, a) L("rw", {8,1,1}, a, b, 1)' "248 7 0 0 0 0 0 0"
says "and to the left" 'L("wr", {8,1,1}, a) L("rw", {8,1,1}, a, b, -1)' "248 7 0 0 0 0 0 0"
says "two CTAs on" 'L("wr", {8,1,1}, a) L("rw", {8,1,1}, a, b, 64)' "0 0 192 0 0 0 0 0"
says "a grid of 4x2: the next row is near, and the end of a row is not near the next one's beginning" \
	'L("rw", {4,2,1}, a, b, 0) L("rw", {4,2,1}, b, a, 128)' "0 128 0 0 0 0 256 0"
says "of 4x4, two rows on" 'L("rw", {4,4,1}, a, b, 0) L("rw", {4,4,1}, b, a, 256)' "0 0 256 0 0 0 512 0"
says "of 4x4, a step to the right" 'L("rw", {4,4,1}, a, b, 0) L("rw", {4,4,1}, b, a, 32)' "0 384 96 0 0 0 512 0"
says "another grid has no neighbours, but CTAs of the same coordinates" \
	'L("rw", {8,1,1}, a, b, 0) L("rw", {4,1,1}, b, a, 0) L("rw", {4,2,1}, a, b, 32)' "128 0 96 0 0 0 384 0"
says "of an older launch" 'L("wr", {8,1,1}, a) L("wr", {8,1,1}, b) L("rw", {8,1,1}, a, b, 1)' "0 0 0 248 7 0 0 0"
says "the host, before and after the first kernel" \
	'cuda.copy(a, h) L("rw", {8,1,1}, a, b, 0) cuda.copy(a, h) L("rw", {8,1,1}, a, b, 0)' "0 0 0 0 0 256 256 0"
says "memset writes, too, and just there" \
	'L("wr", {8,1,1}, a) cuda.memset(a, 0, 40) L("rw", {8,1,1}, a, b, 0)' "246 0 0 0 0 10 0 0"
says "in the launch itself" 'L("wr", {8,1,1}, a) L("both", {8,1,1}, a)' "256 0 0 0 0 0 0 256"
says "an atomic reads and writes, lane after lane" 'L("wr", {8,1,1}, a) L("add", {1,1,1}, a) L("rw", {8,1,1}, a, b, 0)' "2 0 0 255 0 0 0 31"
says "words of a vector" 'L("wr", {8,1,1}, a) L("wide", {4,1,1}, a, b) L("wide", {4,1,1}, b, a)' "288 0 224 0 0 0 0 0"
says "three dimensions of time: pairs" 'L("wr", {8,1,1}, a) L("both", {8,1,1}, a) L("rw", {8,1,1}, a, b, 0)' "512 0 0 0 0 0 0 256"
check "each pair of kernels has its row" test "$(jq -r '.pairs[] | .producer + ">" + .consumer + " " + (.words|tostring)' "$tmp/j" | tr '\n' ';')" = "wr>both 256;both>rw 256;"
check "shares are of what is counted" test "$(jq '.all.self_share == 1 and .all.ghost_share == 0' "$tmp/j")" = true

says "one producer, two consumers" 'L("wr", {8,1,1}, a) L("rw", {8,1,1}, a, b, 0) L("wr", {8,1,1}, a) L("wide", {4,1,1}, a, b)' "288 0 224 0 0 0 0 0"
check "each consumer has a row" test "$(jq -r '.pairs[] | .producer + ">" + .consumer + " " + (.words|tostring)' "$tmp/j" | tr '\n' ';')" = "wr>rw 256;wr>wide 256;"
says "two layers write the same words: one of them reads its own, the other its neighbour's" \
	'L("wr", {1,1,2}, a) L("rw", {1,1,2}, a, b, 0)' "32 32 0 0 0 0 0 0"
# The same on another machine, order and CTA scheduler: what is executed is the same.
program 'for i = 1, 6 do L("rw", {8,4,1}, a, b, 5) L("rw", {8,4,1}, b, a, -40) end'
first=$(counts)
for options in "--gpu v100" "--cta-sched steal --coherence denovo" "--gpu apu3 --cta-sched flip" "--cta-virtual vt --warp-sched lrr"; do
	got=$("$W" analyze dependencies "$tmp/p.lua" --format json $options | jq -c '[.all, .input, .within]')
	want=$("$W" analyze dependencies "$tmp/p.lua" --format json | jq -c '[.all, .input, .within]')
	check "$options: the same" test "$got" = "$want"
done

# --- words
expect 2 "usage: warpdbg analyze dependencies WORKLOAD" analyze
expect 2 "usage: warpdbg analyze dependencies WORKLOAD" analyze dependencies
expect 2 "no analysis 'nix'; there is: dependencies" analyze nix hotspot
expect 2 "unexpected argument 'more'" analyze dependencies hotspot more
expect 2 "no workload" analyze dependencies no_such
expect 2 "analyze writes json or text" analyze dependencies hotspot --format csv
expect 2 "/nonexistent/x: No such file" analyze dependencies vecadd --stats /nonexistent/x
expect 0 "written by" analyze dependencies ikra_small --size small --stats "$tmp/s.json"
check "--stats: the object" sh -c "'$W' analyze dependencies ikra_small --size small --format json | cmp - '$tmp/s.json'"
expect 2 "cannot write" analyze dependencies vecadd --size small --stats /dev/full
expect 2 "did you mean 'analyze'" analyse dependencies hotspot
expect 0 "vecadd: 1 launch;" analyze dependencies vecadd --size small
expect 0 "vecadd" analyze dependencies configs/kernels/vecadd.ptx --kernel vecadd --grid 2 --block 64 --arg 'f32[128]=iota' --arg 'f32[128]=1' --arg 'f32[128]=zero' --arg u32=128
expect 3 "--max-cycles" analyze dependencies hotspot --max-cycles 500
expect 0 "| " analyze dependencies ikra_small --size small
