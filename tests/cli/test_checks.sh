#!/bin/sh
# --check: what `run` and `debug` say of races and of reads of what nobody has written, the exit status, JSON and Lua.
. "$(dirname "$0")/../rig/cli_rig.sh"

cat >"$tmp/reduce.ptx" <<'PTX'
.version 6.3
.target sm_70
.address_size 64
.visible .entry reduce(.param .u64 a)
{
.reg .u64 %rd<6>; .reg .u32 %r<8>; .reg .pred %p<4>; .shared .align 4 .b8 part[512];
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, part;
add.u32 %r2, %r2, %r3;
st.shared.u32 [%r2], %r1;
setp.lt.u32 %p1, %r1, 32;
@!%p1 bra DONE;
nanosleep.u32 400;
ld.shared.u32 %r4, [%r2+128];
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r4;
DONE: ret;
}
PTX
sed 's/^setp.lt.*/bar.sync 0;\n&/' "$tmp/reduce.ptx" >"$tmp/right.ptx"
sed '/^st.shared/d' "$tmp/reduce.ptx" >"$tmp/uninit.ptx"
K="--kernel reduce --grid 2 --block 64 --arg u32[64]=zero"

expect 3 "1: race: read after write, shared memory, 4 bytes at 0x80 (part + 128 bytes); 2 times" run "$tmp/reduce.ptx" $K --check races
expect 3 "store by thread (32,0,0) of CTA (0,0,0), reduce (launch 0)" run "$tmp/reduce.ptx" $K --check all
expect 3 "reduce.ptx:12: st.shared.u32 [%r2], %r1;" run "$tmp/reduce.ptx" $K --check races,init
expect 3 "reduce.ptx:16: ld.shared.u32 %r4, [%r2+128];" run "$tmp/reduce.ptx" $K --check races
expect 3 "checks: 1 finding, and 1 benign pair of lines that write the same value" run "$tmp/reduce.ptx" $K --check races
expect 0 "finished" run "$tmp/reduce.ptx" $K
expect 0 "checks: 0 findings" run "$tmp/reduce.ptx" $K --check init
expect 0 "checks: 0 findings, and 1 benign pair" run "$tmp/right.ptx" $K --check all # a benign pair is no error
expect 3 "1: read of what nobody has written, shared memory, 4 bytes at 0x80 (part + 128 bytes); 2 times" run "$tmp/uninit.ptx" $K --check init
expect 0 "finished" run "$tmp/uninit.ptx" $K --check none
expect 2 "--check: 'race' is not one of races, init, all, none" run "$tmp/reduce.ptx" $K --check race
expect 2 "--check: '' is not one of" run "$tmp/reduce.ptx" $K --check races,

"$W" run "$tmp/reduce.ptx" $K --check all --stats "$tmp/on.json" >/dev/null 2>&1
"$W" run "$tmp/reduce.ptx" $K --stats "$tmp/off.json" >/dev/null 2>&1
cycles() { grep -m1 '^ "cycles"' "$1"; }
hash() { grep -m1 '^ "result_hash"' "$1"; }
check "the same cycles and result" [ "$(cycles "$tmp/on.json") $(hash "$tmp/on.json")" = "$(cycles "$tmp/off.json") $(hash "$tmp/off.json")" ]
check "JSON has them" grep -q '"kind": "raw"' "$tmp/on.json"
check "and their places" grep -q '"place": "reduce.ptx:12"' "$tmp/on.json"
check "null where nobody looks" grep -q '^ "findings": null' "$tmp/off.json"

# In the debugger a first finding stops; the other access is gone to, and what is found again is the same.
"$W" debug "$tmp/reduce.ptx" $K --check all --batch -ex continue -ex 'print gpu.hash' -ex 'info findings' -ex 'goto 286' -ex 'info findings' \
	-ex continue -ex 'print gpu.hash' -ex 'lua local f = dbg.findings()[1] print("lua", f.kind, f.first.place, f.second.cycle)' -ex 'info findings 2' >"$tmp/said" 2>&1
check "a breakpoint of its own" grep -q '^Breakpoint 1: finding (--check)$' "$tmp/said"
check "it stops twice at one place" [ "$(grep -c '^Breakpoint 1, finding: SM 0, warp 0, CTA 0 of reduce (kind raw, addr 0x80, number 1' "$tmp/said")" = 2 ]
check "it says where the first access is" grep -q '^`goto 286` goes to the first access.$' "$tmp/said"
check "which has not happened there" grep -q '^0 findings.$' "$tmp/said"
check "Lua" grep -q '^lua	raw	reduce.ptx:12	568$' "$tmp/said"
check "the same state" [ "$(grep -c '^[0-9a-f]\{16\}$' "$tmp/said")" = 2 -a "$(grep '^[0-9a-f]\{16\}$' "$tmp/said" | sort -u | wc -l)" = 1 ]
check "no other number" grep -q "error: finding: 2 is larger than 1" "$tmp/said"
expect 0 "Nobody looks for races" debug "$tmp/reduce.ptx" $K --batch -ex 'info findings'
expect 0 "Breakpoint 1: finding (--check)" debug "$tmp/reduce.ptx" $K --batch -ex 'run --check races' -ex continue
expect 0 "This machine has no finding events. \`run --check races,init\` starts again" debug "$tmp/reduce.ptx" $K --batch -ex 'break finding'

# A programmatic launch overlaps the kernel before it: griddepcontrol.wait orders them, and nothing does without it.
here=$(cd "$(dirname "$0")/../kernels" && pwd)
expect 0 "checks: 0 findings" run "$here/dependents.lua" --gpu h200 --check races
cp "$here/dependents.lua" "$tmp"
grep -v 'griddepcontrol.wait' "$here/dependents.ptx" >"$tmp/dependents.ptx"
expect 3 "race: read after write, global memory" run "$tmp/dependents.lua" --gpu h200 --check races
