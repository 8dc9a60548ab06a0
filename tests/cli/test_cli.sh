#!/bin/sh
# The command line from outside: every kind of error with its exit status and message, result files, determinism.
# Each check prints "ok NAME" or "not ok NAME" with what was seen.
. "$(dirname "$0")/../rig/cli_rig.sh"

# --- words and options
expect 0 "Exit status" --help
expect 0 "warpdbg " --version
expect 2 "did you mean 'list'" lst
expect 2 "there are: debug, run" zzzzzzzz
expect 2 "to simulate this file" x.ptx
expect 2 "did you mean '--warp-sched'" run --wrp-sched gto
expect 2 "--gpu needs a value" run --gpu
expect 2 "--ascii takes no value" run --ascii=1
expect 2 "does not belong to" run --batch
expect 2 "does not belong to" list gpus --gpu gtx480
expect 2 "A: no workload 'a'" compare a b --a '' --b ''
expect 2 "no workload 'b'" run vecadd --size small b
expect 2 "b.ptx: --size and --param belong to a host program" run --size small vecadd b.ptx
expect 2 "of one host program alone" run --size small vecadd hotspot --record-launches "$tmp/x"
expect 0 "check passed" run --size small vecadd hotspot
expect 2 "--keep-going belongs to --batch" debug --keep-going
expect 2 "is not one of json, csv, text" run --format xml
expect 2 "list writes json, markdown or text" list gpus --format csv
expect 2 "explain writes json or text" explain gto --format csv
expect 2 "is not one of small, default, large" run --size tiny
expect 2 "is not a whole number" run --seed -1
expect 2 "is not a whole number" run --max-cycles 1x
expect 2 "is more than" run --seed 99999999999
expect 2 "more than three dimensions" run x.ptx --grid 1,2,3,4
expect 2 "dimension of 0" run x.ptx --grid 0
expect 2 "is not a whole number" run x.ptx --grid 8x
expect 2 "more than three dimensions" run x.ptx --grid 1x2x3x4
ptx_grid() { "$W" run configs/kernels/vecadd.ptx --kernel vecadd --grid "$1" --block 32 --arg 'f32[64]=iota' --arg 'f32[64]=1' --arg 'f32[64]=zero' --arg u32=64 2>&1 | grep vecadd | tail -1 | cut -c1-60; }
check "--grid 2x2 is 2,2" [ "$(ptx_grid 2x2)" = "$(ptx_grid 2,2)" ]
check "--grid 0x4 is 4" [ "$(ptx_grid 0x4)" = "$(ptx_grid 4)" ]
check "and not 4,1,2" [ "$(ptx_grid 2x2)" != "$(ptx_grid 4)" ]
# A word that is no name is answered with all that has it.
expect 0 "nothing is called 'conflict'; with it in name or text" explain conflict
check "all of them" [ "$(grep -c '^  ' "$tmp/out")" -ge 15 ]
expect 0 '"name": "sm.shared_conflicts"' explain conflict --format json
expect 2 "did you mean" explain l1d.hit_rat
expect 0 "check passed" run vecadd --size small --warp-sched lua:batch
expect 0 "check passed" run vecadd --size small --warp-sched lua:batch.lua
expect 2 "belong to a PTX file" run hotspot --kernel k
expect 2 "belong to a host program" run x.ptx --size small
expect 2 "is not I=FILE" run x.ptx --out 3
expect 2 "is not KEY=VALUE" run --set l1d.ways

# --- names
expect 2 "did you mean 'hotspot'" run hotspo
expect 2 "did you mean 'gtx480'" run --gpu gtx48
expect 2 "did you mean 'l1d.ways'" run --set l1d.way=3
expect 2 "l1d.ways: 0 is not within 1..256" run --set l1d.ways=0
expect 2 "is not a power of two" run --set l1d.sets=3
expect 2 "no such network policy 'nope'; there are: crossbar mesh" run vecadd --gpu v100 --network nope
expect 2 "no such warp policy 'gtx' (did you mean 'gto'?); there are:" run --warp-sched gtx
expect 2 "no such cta policy 'zzzz'; there are:" run --cta-sched zzzz
expect 2 "no such partition policy 'halves'; there are: fcfs" run --partition halves
expect 2 "no such preempt policy 'drains' (did you mean 'drain'?); there are: none switch drain flush chimera" run --preempt drains
expect 2 "no such coherence policy 'mesi'; there are: gpu denovo" run --coherence mesi
expect 2 "no such network policy 'torus'; there are: crossbar mesh" run --network torus
expect 2 "noc.shared_buffer: 8 is for network=crossbar, not mesh" run --network mesh --set noc.shared_buffer=8
expect 2 "noc.switch: islip is for network=crossbar, not mesh" run --network mesh --set noc.switch=islip
expect 2 "No such file" run ./nothere.lua
expect 2 "No such file" run nothere.ptx --kernel k --grid 1 --block 1
expect 2 "--stats: /nonexistent/x" run vecadd --size small --stats /nonexistent/x
expect 2 "--trace: /nonexistent/x" run vecadd --size small --trace /nonexistent/x
expect 2 "--trace-detail: 'warp' is none of: ctas warps states" run vecadd --size small --trace "$tmp/x" --trace-detail warp
expect 2 "there is no --trace FILE.json" run vecadd --size small --trace-detail warps
expect 2 "is not one of dark, light, auto" debug vecadd --palette pink
expect 2 "--palette" run vecadd --palette dark
expect 2 "--timeline: /nonexistent/x" run vecadd --size small --timeline /nonexistent/x
expect 2 "did you mean 'n'" run vecadd --param m=3
expect 2 "'x' is not a number" run vecadd --param n=x

# --- machine files
printf 'return { base = "gtx480",\n  ["l1d.wys"] = 4 }\n' >"$tmp/m1.lua"
expect 2 "m1.lua:2: unknown config key 'l1d.wys' (did you mean 'l1d.ways'?)" run vecadd --gpu "$tmp/m1.lua"
printf 'return {\n' >"$tmp/m2.lua"
expect 2 "m2.lua:2:" run vecadd --gpu "$tmp/m2.lua"
printf 'return 3\n' >"$tmp/m3.lua"
expect 2 "returns a table" run vecadd --gpu "$tmp/m3.lua"
printf 'return { base = "nosuch" }\n' >"$tmp/m4.lua"
expect 2 "no machine 'nosuch'" run vecadd --gpu "$tmp/m4.lua"
printf 'return { base = "%s/m5.lua" }\n' "$tmp" >"$tmp/m5.lua"
expect 2 "bases deep" run vecadd --gpu "$tmp/m5.lua"
printf 'while true do end\n' >"$tmp/m6.lua"
expect 2 "budget" run vecadd --gpu "$tmp/m6.lua"
printf 'return { num_sms = {} }\n' >"$tmp/m7.lua"
expect 2 "m7.lua:1: num_sms: a table is not a value" run vecadd --gpu "$tmp/m7.lua"
printf 'io.open("/etc/passwd")\n' >"$tmp/m8.lua"
expect 2 "m8.lua:1:" run vecadd --gpu "$tmp/m8.lua"
printf 'return { base = "gtx480", num_sms = 2, ["warp-sched"] = "lrr" }\n' >"$tmp/small.lua"
expect 0 "vecadd on small  warp lrr" run vecadd --size small --param n=1000 --gpu "$tmp/small.lua"
expect 0 "warp gto" run vecadd --size small --param n=1000 --gpu "$tmp/small.lua" --warp-sched gto

# --- PTX files
cat >"$tmp/k.ptx" <<'PTX'
.version 6.3
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 a, .param .u32 n, .param .f32 k)
{
	.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
	ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [k];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r5, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f2, [%rd3];
	mul.f32 %f3, %f2, %f1;
	st.global.f32 [%rd3], %f3;
DONE:
	ret;
}
.visible .entry spin() { L: bra L; }
.visible .entry count() { .reg .b64 %rd1; L: add.u64 %rd1, %rd1, 1; bra L; } // no livelock: its state does not come again
PTX
ptx() { # ptx STATUS PATTERN OPTIONS...
	status=$1 text=$2
	shift 2
	expect "$status" "$text" run "$tmp/k.ptx" "$@"
}
ptx 2 "there are: scale spin count" --kernel scal --grid 1 --block 32
ptx 2 "--kernel is missing" --grid 1 --block 32
ptx 2 "--grid and --block" --kernel spin
ptx 2 "takes 3 parameters (u64 a, u32 n, f32 k), there is 1 --arg" --kernel scale --grid 1 --block 32 --arg u32=1
ptx 2 "'q32' is not one of" --kernel scale --grid 1 --block 32 --arg q32=1 --arg u32=1 --arg f32=1
ptx 2 "-1 does not fit u32" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1' --arg u32=-1 --arg f32=1
ptx 2 "n is u32 of 4 bytes, u64 has 8" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1' --arg u64=1 --arg f32=1
ptx 2 "k is f32, not u32" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1' --arg u32=1 --arg u32=1
ptx 2 "a is u64 of 8 bytes, f32 has 4" --kernel scale --grid 1 --block 32 --arg f32=1 --arg u32=1 --arg f32=1
ptx 2 "n is u32 of 4 bytes, a buffer" --kernel scale --grid 1 --block 32 --arg u64=1 --arg 'u32[2]=1' --arg f32=1
ptx 2 "number of elements" --kernel scale --grid 1 --block 32 --arg 'f32[x]=1' --arg u32=1 --arg f32=1
ptx 2 "'1q' is not a number" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1q' --arg u32=1 --arg f32=1
ptx 2 "No such file" --kernel scale --grid 1 --block 32 --arg 'f32[4]=@/nothere' --arg u32=1 --arg f32=1
ptx 2 "counted from 0" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1' --arg u32=1 --arg f32=1 --print 3
ptx 2 "is not a buffer" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1' --arg u32=1 --arg f32=1 --print 1
ptx 2 "exceeds" --kernel scale --grid 1 --block 4096 --arg 'f32[4]=1' --arg u32=1 --arg f32=1
ptx 3 "out of bounds" --kernel scale --grid 1 --block 32 --arg 'f32[4]=1' --arg u32=32 --arg f32=1
ptx 3 "not finished after 3000 cycles" --kernel spin --grid 1 --block 32 --max-cycles 3k
printf '\1\2\3' >"$tmp/three.bin"
ptx 2 "has 3 bytes, 1 f32 are 4" --kernel scale --grid 1 --block 32 --arg "f32[1]=@$tmp/three.bin" --arg u32=1 --arg f32=1
"$W" run "$tmp/k.ptx" --kernel scale --grid 2 --block 64 --arg 'f32[100]=iota' --arg u32=100 --arg f32=0.5 --print 0:4 \
	--out "0=$tmp/out.bin" --stats "$tmp/s.json" >"$tmp/text" 2>&1
check "--print shows the values" sh -c "[ \"\$(head -4 '$tmp/text' | tr '\n' ' ')\" = '0 0.5 1 1.5 ' ]"
check "--out writes the buffer" sh -c "[ \$(wc -c <'$tmp/out.bin') = 400 ]"
check "--stats FILE.json is JSON" grep -q '"schema": "warpdbg-run"' "$tmp/s.json"
"$W" run "$tmp/k.ptx" --kernel scale --grid 2 --block 64 --arg "f32[100]=@$tmp/out.bin" --arg u32=100 --arg f32=2 --print 0:3 >"$tmp/text" 2>&1
check "@file reads what --out wrote" sh -c "[ \"\$(head -3 '$tmp/text' | tr '\n' ' ')\" = '0 1 2 ' ]"

# --- host programs
host() { # host STATUS PATTERN LUA-BODY: the body of run(cuda, p)
	printf 'return { name = "t", run = function(cuda, p)\n%s\nend }\n' "$3" >"$tmp/h.lua"
	status=$1 text=$2
	expect "$status" "$text" run "$tmp/h.lua"
}
V='local m = cuda.module("vecadd.ptx") local d = cuda.malloc(4000)'
host 0 "hello" 'print("hello")'
host 2 "h.lua:2: oops" 'error("oops")'
host 2 "stack traceback" 'local x = nil; x.y = 1'
host 2 "has no kernel 'nope'; there are: vecadd" 'local k = cuda.module("vecadd.ptx").nope'
host 2 "No such file" 'cuda.module("nothere.ptx")'
host 2 "takes 4 parameters (u64, u64, u64, u32), got 1" "$V cuda.launch(m.vecadd, 1, 32, {d})"
host 2 "is not a whole number (cuda.f32(x)" "$V cuda.launch(m.vecadd, 1, 32, {d, d, d, 1.5})"
host 2 "does not fit 4 bytes" "$V cuda.launch(m.vecadd, 1, 32, {d, d, d, 1 << 40})"
host 2 "got a boolean" "$V cuda.launch(m.vecadd, 1, 32, {d, d, d, true})"
host 2 "got a string" "$V cuda.launch(m.vecadd, 1, 32, {d, d, d, 'x'})"
host 2 "grid[1]: 0 is not" "$V cuda.launch(m.vecadd, 0, 32, {d, d, d, 1})"
host 2 "unknown launch option 'shard'" "$V cuda.launch(m.vecadd, 1, 32, {d, d, d, 1}, {shard = 1})"
host 2 "launch option stream: 3" "$V cuda.launch(m.vecadd, 1, 32, {d, d, d, 1}, {stream = 3})"
host 2 "index 10 is outside the array of 10 f32 (0 .. 9)" 'local a = cuda.host("f32", 10) a[10] = 1'
host 2 "index -1 is outside" 'local a = cuda.host("f32", 10) local x = a[-1]'
host 2 "has no field 'foo'" 'local a = cuda.host("f32", 10) a.foo()'
host 2 "is not a whole number: it cannot be stored" 'local a = cuda.host("i32", 10) a[1] = 1.5'
host 2 "unknown element type 'f31'" 'cuda.host("f31", 10)'
host 2 "is larger than" 'cuda.host("f64", 1 << 40)'
host 2 "one of the two is a host array" 'cuda.copy(1, 2)'
host 2 "h.lua:2" 'cuda.copy(cuda.malloc(4), cuda.host("f32", 100))'
host 2 "h.lua:2" 'cuda.free(17)'
host 2 "must return true" 'cuda.check(function() end)'
host 1 "CHECK FAILED" 'cuda.check(function() return false, "because" end)'
host 1 "check 2: because" 'cuda.check(function() return true end) cuda.check(function() return false, "because" end)'
host 0 "check passed" 'cuda.check(function() return true end)'
host 2 "no such stream" 'cuda.sync(5)'
host 2 "coroutine of the host program's own" 'coroutine.wrap(function() cuda.sync() end)()'
host 2 "there is no 'io' here: scripts and host programs get io and os with --allow-io" 'io.open("/etc/passwd")'
host 2 "there is no 'os' here" 'os.exit(0)'
host 2 "attempt to call a nil value (global 'dofile')" 'dofile("x")'
host 2 "attempt to load a binary chunk" 'assert(load(string.dump(function() end)))'
host 2 "module 'nope' not found" 'require "nope"'
host 2 "a module name like" 'require "../x"'
host 2 "resulting string too large" 'local s = string.rep("x", 1 << 33)'
host 1 "[3]: got 3, want 4; 1 of 5 elements differ" 'local a, b = cuda.host("i32", 5):iota(), cuda.host("i32", 5):iota() b[3] = 4
	cuda.check(function() return cuda.compare(a, b) end)'
host 0 "check passed" 'local a = cuda.host("f32", 5):fill(0.5) cuda.check(function() return cuda.compare(a, {[0]=0.5,0.5,0.5,0.5,0.5}) end)'
host 0 "check passed" "$V"' local a = cuda.host("f32", 1000):iota() local c = cuda.host("f32", 1000)
	local e = cuda.malloc(4000) cuda.copy(d, a) cuda.launch(m.vecadd, 4, 256, {d, d, e, 1000}) cuda.copy(c, e)
	cuda.check(function() for i = 0, 999 do if c[i] ~= 2 * i then return false, "at " .. i end end return true end)'
host 0 "check passed" "$V"' local s, t = cuda.stream(), cuda.stream() local e = cuda.malloc(4000) local f = cuda.malloc(4000)
	cuda.memset(d, 0, 4000) cuda.launch(m.vecadd, 4, 256, {d, d, e, 1000}, {stream = s}) cuda.launch(m.vecadd, 4, 256, {d, d, f, 1000}, {stream = t})
	cuda.sync(s) cuda.sync(t) cuda.check(function() return true end)'
printf 'return { sizes = 3 }\n' >"$tmp/h2.lua"
expect 2 "with a function \`run\`" run "$tmp/h2.lua"
printf 'return {\n' >"$tmp/h3.lua"
expect 2 "h3.lua:2:" run "$tmp/h3.lua"
printf '\033Lua' >"$tmp/h4.lua"
expect 2 "attempt to load a binary chunk" run "$tmp/h4.lua"
expect 2 "Is a directory" run "$tmp/" </dev/null
printf 'error("from the script")\n' >"$tmp/script.lua"
expect 2 "from the script" run vecadd --size small --script "$tmp/script.lua"
printf 'print(gpu.num_sms)\n' >"$tmp/script2.lua"
expect 0 "15" run vecadd --size small --script "$tmp/script2.lua"

# --- lists and explanations
for what in gpus workloads policies stats events opcodes config; do
	check "list $what" sh -c "'$W' list $what | grep -q ."
	check "list $what --format json" sh -c "'$W' list $what --format json | grep -q '\"name\": '"
done
expect 2 "there is no list of 'foo'" list foo
expect 2 "usage: warpdbg list" list
expect 2 "dir/my.cu: No such file or directory" run dir/my.cu
# The summary's line about memory instructions says what the statistics say.
said=$("$W" run lavamd --size small | sed -n 's/.* \([0-9.]*\) % of them bank conflicts/\1/p')
counted=$("$W" run lavamd --size small --format json --stats - | tr -d ' ' | sed -n 's/.*"conflict_share":\([0-9.]*\).*/\1/p' | head -1)
check "bank conflicts in the summary" awk "BEGIN { exit !(\"$said\" > 0 && $said - 100 * $counted < 0.05 && 100 * $counted - $said < 0.05) }"
expect 0 "shared memory cycles, no bank conflicts" run reduction --size small
expect 0 "data present" explain l1d.hits
expect 0 "Rogers 2012" explain gto
expect 0 "none  (preempt policy)" explain none
expect 0 "counted as lee2014: mem stall" explain memory_dependency
expect 0 "1 to 256; default" explain l1d.ways
expect 0 "arguments: slot" explain cta-dispatch
expect 0 '"kind": "rate"' explain l2.hit_rate --format json
expect 0 "few warps are left" explain tail effect
expect 0 "few warps are left" explain 'tail effect'
expect 0 "few warps are left" debug vecadd --size small --batch -ex 'explain tail effect'
expect 0 "few warps are left" debug vecadd --size small --batch -ex 'explain "tail effect"'
expect 2 "nothing is called 'gto effect'" explain gto effect
expect 2 "did you mean" explain hit_rat

# --- results
for i in 1 2; do
	"$W" run hotspot --size small --stats - --format json --timeline "$tmp/t$i.csv" --trace "$tmp/tr$i.json" 2>/dev/null |
		sed '/^ "host": {/,$d' >"$tmp/j$i"
done
check "JSON is the same twice, apart from host" cmp "$tmp/j1" "$tmp/j2"
check "timeline is the same twice" cmp "$tmp/t1.csv" "$tmp/t2.csv"
check "trace is the same twice" cmp "$tmp/tr1.json" "$tmp/tr2.json"
"$W" run hotspot --size small --stats - --format json --seed 2 2>/dev/null | sed '/^ "host": {/,$d' >"$tmp/j3"
check "another seed is another run" sh -c "! cmp -s '$tmp/j1' '$tmp/j3'"
result() { "$W" run "$@" --size small --stats - --format json 2>/dev/null | sed -n 's/^ "result_hash": //p'; }
check "the result is the same under another scheduler" [ "$(result spmv)" = "$(result spmv --warp-sched lrr --gpu v100)" ]
check "and another of other data" [ "$(result spmv)" != "$(result spmv --seed 2)" ]
for key in schema version config workload seed result_hash cycles core_clock_mhz sim_time_us warp_insts thread_insts ipc check kernels sms l1i l1d \
	l1c l1t l2 dram noc stalls policies energy; do
	check "JSON has $key" grep -q "^ \"$key\": " "$tmp/j1"
done
check "every taxonomy sums to all slots" awk '/^  "(base|lee2014|elf|paws|vt|nsight)": \{/ { n = 0; inside = 1; next }
	inside && /"sum":/ { sum = $2 + 0 } inside && /"slots":/ { if (sum != $2 + 0 || sum == 0) bad = 1; seen++; inside = 0 }
	END { exit bad || seen != 6 }' "$tmp/j1"
check "timeline rows cover the run" awk -F, 'NR > 1 { sum += $2; last = $1 } END { exit !(NR > 3 && sum == last) }' "$tmp/t1.csv"
check "trace closes its list" sh -c "tail -1 '$tmp/tr1.json' | grep -q ']}'"
check "CSV has rows" sh -c "'$W' run hotspot --size small --format csv | grep -q '^l1d.hits,sum,[0-9]'"
check "text has no escapes in a pipe" sh -c "'$W' run hotspot --size small | { ! grep -q '\033'; }"
check "text of --ascii is ASCII" sh -c "LC_ALL=C.UTF-8 '$W' run hotspot --size small --ascii | { ! LC_ALL=C grep -q '[^ -~]'; }"
check "alone and without a terminal it runs the demo" sh -c "cd / && '$W' </dev/null | grep -q 'hotspot on gtx480.*check passed'"
# --- a full disk is named as what it is
expect 2 "warpdbg: --stats: /dev/full: cannot write: No space left on device" run vecadd --size small --stats /dev/full
expect 2 "warpdbg: --stats: /dev/full: cannot write: No space left on device" compare vecadd --size small --a '' --b '' --stats /dev/full
expect 2 "--out: /dev/full: cannot write: No space left on device" run configs/kernels/vecadd.ptx --kernel vecadd --grid 1 --block 32 \
	--arg 'f32[32]=iota' --arg 'f32[32]=1' --arg 'f32[32]=zero' --arg u32=32 --out 2=/dev/full
for words in "run vecadd --size small" "compare vecadd --size small --a= --b=" "list gpus"; do
	check "full standard output: $words" sh -c "'$W' $words 2>&1 >/dev/full | grep -qx 'warpdbg: cannot write to standard output: No space left on device'"
done
# a trace that has grown: the run goes on, and its signals are caught
runs() {
	i=0
	while [ $i -lt 300 ] && { [ ! -f "$1" ] || [ "$(wc -c <"$1")" -lt 300000 ]; }; do
		sleep 0.1
		i=$((i + 1))
	done
}
complete() {
	[ "$(tail -c 4 "$1")" = "
]}" ]
}
endless="$tmp/k.ptx --kernel count --grid 4 --block 256 --trace-detail states"
"$W" run $endless --trace "$tmp/killed.json" >/dev/null 2>&1 &
pid=$!
runs "$tmp/killed.json.part"
kill -STOP $pid # not in the middle of a block
sleep 0.2
check "a trace is complete while it is written" complete "$tmp/killed.json.part"
kill -KILL $pid
wait $pid 2>/dev/null
for ending in INT:130 TERM:143 HUP:129; do
	sig=${ending%:*}
	"$W" run $endless --trace "$tmp/run$sig.json" --timeline "$tmp/ended.csv" --stats "$tmp/stats$sig.json" >"$tmp/text" 2>&1 &
	pid=$!
	runs "$tmp/run$sig.json.part"
	kill -$sig $pid
	wait $pid 2>/dev/null
	check "SIG$sig ends a run with ${ending#*:}" [ $? -eq "${ending#*:}" ]
	check "SIG$sig: statistics" grep -q '"stop": "interrupted"' "$tmp/stats$sig.json"
	check "SIG$sig: the trace is complete" complete "$tmp/run$sig.json"
	check "SIG$sig: the timeline comes up to the cycle" sh -c "grep -q \"at cycle \$(tail -1 '$tmp/ended.csv' | cut -d, -f1)\\$\" '$tmp/text'"
	"$W" debug $endless --trace "$tmp/batch$sig.json" --batch -ex continue -ex "echo went on" >"$tmp/text" 2>&1 &
	pid=$!
	runs "$tmp/batch$sig.json.part"
	kill -$sig $pid
	wait $pid 2>/dev/null
	check "SIG$sig ends a batch with ${ending#*:}" [ $? -eq "${ending#*:}" ]
	check "SIG$sig: the batch's trace is complete" complete "$tmp/batch$sig.json"
	check "SIG$sig: the batch does not go on" sh -c "! grep -q 'went on' '$tmp/text'"
done
