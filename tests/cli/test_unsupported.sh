#!/bin/sh
# PTX with instructions that are not supported: the file is loaded, kernels that reach them are refused at their launch
# by command line, debugger and host programs; listings say which they are.
. "$(dirname "$0")/../rig/cli_rig.sh"

p=$tmp/u.ptx
cat >"$p" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) f(.param .b32 a)
{
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [a];
	wgmma.sync.aligned.m64n8k8 {%r1,%r2}, {%r1,%r2}, {%r1};
	st.param.b32 [r], %r1;
	ret;
}
.visible .entry good(.param .u64 out)
{
	.reg .b64 %d<4>; .reg .b32 %r<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d3, %d1, %d2;
	st.global.u32 [%d3], %r1;
	ret;
}
.visible .entry bad(.param .u64 out)
{
	.reg .b64 %d<4>; .reg .b32 %r<4>;
	ld.param.u64 %d1, [out];
	cp.reduce.async.shared.global [%r1], [%d1], 16;
	ret;
}
.visible .entry calls(.param .u64 out)
{
	.reg .b32 %r<4>;
	call (%r1), f, (%r1);
	ret;
}
PTX
bad="u.ptx:26:2: 'cp.reduce.async.shared.global' is not supported"
calls="u.ptx:8:2: 'wgmma.sync.aligned.m64n8k8' is not supported (in function f, which it calls)"
opts="--grid 1 --block 32 --arg u32[32]=zero"

expect 0 "" run "$p" --kernel good $opts --print 0:4
cp "$tmp/out" "$tmp/good"
check "the kernel that can be run has run" sh -c 'head -40 "$1" | tr "\n" " " | grep -q "0 1 2 3 "' sh "$tmp/good"
expect 2 "kernel bad cannot be launched: $tmp/$bad" run "$p" --kernel bad $opts
expect 2 "kernel calls cannot be launched: $tmp/$calls" run "$p" --kernel calls $opts
expect 2 "kernel bad cannot be launched: $tmp/$bad" debug --batch "$p" --kernel bad $opts -ex c
expect 0 "bad cannot be launched: $tmp/$bad" debug --batch "$p" --kernel good $opts -ex c -ex 'info kernels'
expect 0 "calls cannot be launched: $tmp/$calls" debug --batch "$p" --kernel good $opts -ex c -ex 'info kernels'
expect 0 "cp.reduce.async.shared.global [%r1], [%d1], 16;" debug --batch "$p" --kernel good $opts -ex 'list 26'
for topic in phases points idempotence; do
	expect 2 "info $topic: bad is not analysed, since it cannot be launched: $tmp/$bad" \
		debug --batch "$p" --kernel good $opts -ex c -ex "info $topic bad"
	expect 0 "good (" debug --batch "$p" --kernel good $opts -ex c -ex "info $topic good"
done

# a file's list, one of linked files, one that is no PTX
expect 0 "cannot be launched: $tmp/$bad" list kernels "$p"
cp "$tmp/out" "$tmp/list"
check "a kernel that can be launched has no reason" grep -q "^good .*shared *$" "$tmp/list"
expect 0 "\"launch\": \"cannot be launched: $tmp/$calls\"" list kernels "$p" --format json
cat >"$tmp/m.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) g(.param .b32 a);
.visible .entry main()
{
	.reg .b32 %r<4>;
	call (%r1), g, (%r1);
	ret;
}
PTX
sed 's/^\.func (.param .b32 r) f/.visible .func (.param .b32 r) g/; s/, f, /, g, /' "$p" >"$tmp/l.ptx"
expect 0 "l.ptx:8:2: 'wgmma.sync.aligned.m64n8k8' is not supported (in function g, which it calls)" \
	list kernels "$tmp/m.ptx" "$tmp/l.ptx"
expect 2 "kernel main cannot be launched: $tmp/l.ptx:8:2: 'wgmma.sync.aligned.m64n8k8' is not supported" \
	run "$tmp/m.ptx" --link "$tmp/l.ptx" --kernel main --grid 1 --block 32
expect 2 "function 'g' is called but not defined" list kernels "$tmp/m.ptx"
expect 2 "usage: warpdbg list kernels FILE.ptx" list kernels
expect 2 "unexpected argument 'x'" list gpus x

# a host program: the launch is an error that it can catch, others before and behind it run; going back is as ever
cat >"$tmp/h.lua" <<LUA
return { sizes = { default = { again = 0 } }, run = function(cuda, p)
	local m = cuda.module("$p")
	local out = cuda.malloc(256, "out")
	local host = cuda.host("u32", 32):fill(7)
	cuda.launch(m.good, 1, 32, { out })
	local ok, why = pcall(cuda.launch, m.bad, 1, 32, { out })
	assert(not ok and why:find("26:2: 'cp.reduce.async.shared.global' is not supported", 1, true), why)
	ok, why = pcall(cuda.launch, m.calls, 1, 32, { out })
	assert(not ok and why:find("8:2: 'wgmma.sync.aligned.m64n8k8' is not supported (in function f, which it calls)", 1, true), why)
	cuda.sync()
	cuda.launch(m.good, 2, 32, { out })
	cuda.copy(host, out)
	cuda.check(function() return host[31] == 31 end)
	if p.again ~= 0 then cuda.launch(m.bad, 1, 32, { out }) end
end }
LUA
expect 0 "check passed" run "$tmp/h.lua"
expect 2 "kernel bad cannot be launched: $tmp/$bad" run "$tmp/h.lua" --param again=1
expect 0 "check passed" debug --batch "$tmp/h.lua" -ex c -ex 'print gpu.hash' -ex 'goto 700' -ex 'print gpu.hash' -ex 'rs 300' \
	-ex 'goto 700' -ex 'print gpu.hash' -ex c -ex 'print gpu.hash'
grep '^[0-9a-f]\{16\}$' "$tmp/out" >"$tmp/hashes"
check "the same hashes after going back" sh -c '[ "$(wc -l <"$1")" -eq 4 ] && [ "$(sort "$1" | uniq -d | wc -l)" -eq 2 ]' sh "$tmp/hashes"

# what has not the form of an instruction refuses the file
# Matrix instructions that this machine has not, and one that has them.
cat >"$tmp/m.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b64 %d<4>; .reg .b32 %r<4>; .reg .f32 %f<5>;
	ld.param.u64 %d1, [out];
	mov.b32 %r1, 0x3c003c00;
	mov.f32 %f1, 0f00000000;
	mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1}, {%r1}, {%f1,%f1,%f1,%f1};
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};
	st.global.f32 [%d1], %f4;
	ret;
}
PTX
m="kernel k cannot be launched: $tmp/m.ptx:11: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32'"
mopts="--kernel k --grid 1 --block 32 --arg f32[32]=zero --print 0:1"
expect 2 "$m is of sm_80 and needs tensor cores, this machine has none (sm.tensor_units = 0)" run "$tmp/m.ptx" $mopts
expect 2 "$m needs sm_80, this machine is sm_75 (cuda.capability)" run "$tmp/m.ptx" $mopts --gpu rtx2060
expect 0 "24" run "$tmp/m.ptx" $mopts --gpu h200

printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tmma.sync %%r1 %%r2;\n\tret;\n}\n' >"$tmp/s.ptx"
expect 2 "s.ptx:6:15: unexpected '%r2', expected ','" run "$tmp/s.ptx" --grid 1 --block 32
expect 2 "s.ptx:6:15: unexpected '%r2', expected ','" list kernels "$tmp/s.ptx"

# the source view marks such lines
for sign in '⊘:' '?:--ascii'; do
	# shellcheck disable=SC2086
	expect 0 "" debug --batch "$p" --kernel good $opts ${sign#*:} -ex c -ex "screenshot $tmp/view.txt source 100x45"
	check "lines marked with ${sign%%:*}" sh -c '[ "$(grep -c "^ $2 *\(8\|26\) " "$1")" -eq 2 ] && [ "$(grep -c "^ $2" "$1")" -eq 2 ]' \
		sh "$tmp/view.txt" "${sign%%:*}"
done
