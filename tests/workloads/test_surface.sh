#!/bin/sh
# Surfaces: every shape, width and way of treating what lies outside; faults; what is refused.
. "$(dirname "$0")/../rig/cli_rig.sh"

k=tests/kernels/surface
expect 0 "check passed" run $k.lua
expect 0 "check passed" run $k.lua --gpu v100 --warp-sched lrr --schedule none
expect 0 "check passed" run tests/kernels/surface_reduce.lua
expect 0 "check passed" run tests/kernels/surface_reduce.lua --gpu v100 --warp-sched lrr --schedule none
wrong() { # STATUS PATTERN X Y
	expect "$1" "$2" run $k.lua --param wrong=1 --param "x=$3" --param "y=$4"
}
wrong 0 "1	1" 0 3 # the row's first and last element were written
wrong 3 "surface access of 4 bytes outside of the surface: byte 64, row or layer 3" 4 3
wrong 3 "lane 0x00008000" 4 3
wrong 3 "kernel outside at tests/kernels/surface.ptx:" 4 3
wrong 3 "outside of the surface: byte -4, row or layer 0" -4 0
wrong 3 "outside of the surface: byte 0, row or layer 8" 0 8
wrong 3 "outside of the surface: byte 0, row or layer -1" 0 -1
expect 3 "misaligned" run $k.lua --param wrong=1 --param width=20 --param x=2
expect 3 "surface access through an invalid handle (0x3039)" run $k.lua --param wrong=2

# refused PATTERN INSTRUCTION
refused() {
	printf '.version 7.0\n.target sm_70\n.address_size 64\n.global .surfref ref;\n.visible .entry k()\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\n%s\nret;\n}\n' \
		"$2" >"$tmp/refused.ptx"
	expect 2 "$1" run "$tmp/refused.ptx" --grid 1 --block 1
}
refused "surface reference 'ref' is not supported, only surface objects are" 'suld.b.1d.b32.trap {%r1}, [ref, {%r2}];'
refused "needs 2 coordinates, here are 1" 'suld.b.2d.b32.trap {%r1}, [%d1, {%r2}];'
refused "needs 2 elements in braces here" 'suld.b.1d.v2.b32.trap {%r1}, [%d1, {%r2}];'
refused "at most 16 bytes in all" 'suld.b.1d.v4.b64.trap {%d1,%d2,%d3,%d4}, [%d1, {%r2}];'
refused "needs a 64-bit register" 'sust.b.1d.b32.trap [%r3, {%r2}], {%r1};'
refused "does not know '.p'" 'sust.p.1d.b32.trap [%d3, {%r2}], {%r1};'
refused "needs .and or .or of .b32" 'sured.b.add.1d.b32.trap [%d3, {%r2}], %r1;'
refused "needs .and or .or of .b32" 'sured.b.exch.1d.u32.trap [%d3, {%r2}], %r1;'
refused "does not know '.p'" 'sured.p.add.1d.u32.trap [%d3, {%r2}], %r1;'

# host PATTERN LUA
host() {
	printf 'return { run = function(cuda) local a = cuda.malloc(4096, "a"); %s end }\n' "$2" >"$tmp/host.lua"
	expect 2 "$1" run "$tmp/host.lua"
}
host "is no multiple of 16" 'cuda.surface { addr = a + 4, width = 8 }'
host "pitch 36 is no multiple of 16" 'cuda.surface { addr = a, width = 8, height = 2, pitch = 36 }'
host "are not inside one live allocation" 'cuda.surface { addr = a, width = 1025 }'
host "unknown surface field 'linear'" 'cuda.surface { addr = a, width = 8, linear = true }'
host "field addr is missing" 'cuda.surface { width = 8 }'
