#!/bin/sh
# Texts for people: numbers and their nouns, names of kernels, and what may reach a terminal.
. "$(dirname "$0")/../rig/cli_rig.sh"

say() { # say COMMAND...: what the debugger answers on a small bfs
	for c; do
		set -- "$@" -ex "$c"
		shift
	done
	timeout 60 "$W" debug bfs --size small --batch --keep-going "$@" >"$tmp/said" 2>&1
}

say 'step 1' why 'until stat gpu.ipc > 3 sm=3' 'tbreak stat gpu.ipc > 3 sm=3' 'until stat gpu.ipc > 3 if' 'tbreak issue count=0'
check "one cycle" grep -q "fetch for 1 cycle$" "$tmp/said"
check "until names itself" grep -q "error: until stat takes no filters ('sm=3')" "$tmp/said"
check "tbreak names itself" grep -q "error: tbreak stat takes no filters ('sm=3')" "$tmp/said"
check "also before a condition" grep -q "error: until stat: a Lua expression is expected after 'if'" "$tmp/said"
check "and of a count" grep -q "error: tbreak: count=0: a number" "$tmp/said"

"$W" debug hotspot --gpu v100 --size small --batch -ex 'step 50' -ex 'explain occupancy' -ex 'continue' -ex 'explain occupancy' >"$tmp/said" 2>&1
check "occupancy is the next launch's, later the last one's" [ "$(grep -o '^hotspot#[01] here' "$tmp/said" | tr '\n' ' ')" = "hotspot#0 here hotspot#1 here " ]

# Names that C++ mangled: reports for people have those of the source, files for programs both.
cat >"$tmp/m.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry _ZN2la4blas4axpyEPf(.param .u64 p)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	st.global.u32 [%rd1], 7;
	ret;
}
PTX
set -- "$tmp/m.ptx" --kernel axpy --grid 2 --block 32 --arg 'u32[1]=zero'
timeout 60 "$W" run "$@" >"$tmp/said" 2>&1
check "the report has the source's name" grep -q "^ 0 axpy  " "$tmp/said"
check "and not the other" sh -c "! grep -q _ZN '$tmp/said'"
timeout 60 "$W" run "$@" --stats - --format csv >"$tmp/said" 2>&1
check "CSV has the PTX name" grep -q '^kernel.name,0,"_ZN2la4blas4axpyEPf"$' "$tmp/said"
check "and the source's" grep -q '^kernel.label,0,"axpy"$' "$tmp/said"
timeout 60 "$W" run "$@" --stats - --format json >"$tmp/said" 2>&1
check "JSON has the PTX name" grep -q '"name": "_ZN2la4blas4axpyEPf"' "$tmp/said"
check "and the source's" grep -q '"label": "axpy"' "$tmp/said"
timeout 60 "$W" run "$@" --trace "$tmp/t.json" >/dev/null 2>&1
check "slices of a trace have the source's" grep -q '"name":"axpy 0"' "$tmp/t.json"

# On a terminal no byte of a text commands it; colours only where they are wanted. In a pipe: what was typed.
esc=$(printf '\033')
pty() { # pty COMMAND: what it writes to a terminal
	TERM=xterm timeout 60 script -qec "$1" /dev/null </dev/null >"$tmp/said" 2>&1
}
pty "'$W' explain '${esc}[31mno$(printf '\302\233')such'"
check "explain quotes no escape" grep -q "nothing is called '?\[31mno??such'" "$tmp/said"
check "no escape at all" sh -c "! grep -q '$esc' '$tmp/said'"
pty "'$W' explain gto"
check "explain has no codes" sh -c "grep -q 'greedy then oldest' '$tmp/said' && ! grep -q '$esc' '$tmp/said'"
"$W" explain "${esc}x" >"$tmp/said" 2>&1
check "in a pipe it is what was typed" grep -q "'${esc}x'" "$tmp/said"
cat >"$tmp/talk.lua" <<LUA
return {
	name = "talk",
	run = function(cuda)
		local m = cuda.module("m.ptx")
		cuda.launch(m.axpy, { 1, 1, 1 }, { 32, 1, 1 }, { cuda.malloc(4) })
		cuda.sync()
		print("\\27]0;title\\7done")
		cuda.check(function() return false, "\\27[2Jwrong" end)
	end,
}
LUA
pty "'$W' run '$tmp/talk.lua' --no-color 2>/dev/null"
check "what a program prints is text" grep -q "?\]0;title?done" "$tmp/said"
check "and what its check says" grep -q "?\[2Jwrong" "$tmp/said"
colours() { # colours WANTED NAME COMMAND: does the report on a terminal have any?
	pty "$3"
	got=no
	grep -q "${esc}\[1m" "$tmp/said" && got=yes
	check "$2" [ $got = "$1" ]
}
colours yes "a report has colours" "'$W' run vecadd --size small"
colours no "not with NO_COLOR" "NO_COLOR=1 '$W' run vecadd --size small"
colours yes "an empty NO_COLOR is none" "NO_COLOR= '$W' run vecadd --size small"
colours no "not on a dumb terminal" "TERM=dumb '$W' run vecadd --size small"
