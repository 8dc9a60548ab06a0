#!/bin/sh
# PTX files linked together, by --link and by cuda.module{...}: results, and whose lines and files are named.
. "$(dirname "$0")/../rig/cli_rig.sh"

k=tests/kernels
expect 0 "check passed" run $k/link.lua
args="--kernel linked --grid 1 --block 32 --shared 128 --arg f32[32]=iota --arg s32=32"
expect 0 "61" run $k/link_main.ptx --link $k/link_lib.ptx $args --print 0
expect 2 "function '_Z7advance5point' is called but not defined in this module" run $k/link_main.ptx $args
expect 2 "'table' is defined twice (first at" run $k/link_main.ptx --link $k/link_lib.ptx --link $k/link_lib.ptx $args
expect 2 "no/such.ptx" run $k/link_main.ptx --link no/such.ptx $args
expect 2 "--kernel, --link, --grid" run hotspot --link $k/link_lib.ptx

# A file that is linked is an input: no output may go there.
cp $k/link_lib.ptx "$tmp/lib.ptx"
expect 2 "lib.ptx is a file that is read" run $k/link_main.ptx --link "$tmp/lib.ptx" $args --timeline "$tmp/lib.ptx"
check "the linked file is as it was" cmp $k/link_lib.ptx "$tmp/lib.ptx"

# The debugger names the file that a line is of, and finds lines by it.
line=$(grep -n 'call.uni' $k/link_lib.ptx | head -1 | cut -d: -f1) # of the cube that link_main.ptx has too: its own counts
own=$(grep -n 'bar.sync' $k/link_main.ptx | cut -d: -f1)
debug() {
	expect 0 "$1" debug --batch $k/link_main.ptx --link $k/link_lib.ptx $args -ex "break link_lib.ptx:$line" \
		-ex "break linked:$own" -ex 'break link_lib.cu:18' -ex c -ex 'info line' -ex c -ex c -ex 'info line' -ex list \
		-ex 'print gpu.kernel[0].code(gpu.sm[0].warp[0].pc).file' -ex 'info stack' -ex 'list link_lib.ptx:37'
}
debug "Breakpoint 1: link_lib.ptx:$line at link_lib.ptx:$line"
debug "Breakpoint 2: linked:$own at link_main.ptx:$own"
debug "Breakpoint 3: link_lib.cu:18 at link_lib.ptx:"
debug "link_main.ptx:$own  bar.sync"
debug "link_lib.ptx:$line  call.uni (retval0),"
debug "> $line	"
debug "// link_lib.cu:18: return 2 * x + cube((float)k) + hidden[k & 3];"
debug "from link_lib.cu:18"
