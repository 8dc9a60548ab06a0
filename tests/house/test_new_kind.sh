#!/bin/sh
# The five steps of src/README.md to a policy of a new kind, carried out on a copy of the sources: what comes of one row.
. "$(dirname "$0")/../rig/cli_rig.sh"

copy=$tmp/copy
mkdir -p "$copy"
cp -R Makefile src ui configs scripts tests "$copy/" 2>/dev/null

# Each block of the section, in a file of its own: diffs to apply, C files that name themselves in their first line.
awk -v dir="$tmp" '
	/^## A policy of a new kind/ { on = 1 }
	on && /^## / && !/new kind/ { on = 0 }
	on && /^```/ { if (open) { close(file); open = 0 } else { file = dir "/step" ++n "." substr($0, 4); open = 1 } next }
	on && open { print > file }' src/README.md
check "five blocks" [ "$(ls "$tmp"/step* | wc -l)" -eq 5 ]
for f in "$tmp"/step*.c; do
	cp "$f" "$copy/src/$(sed -n '1s|^/\* \([^ :]*\).*|\1|p' "$f")"
done
for f in "$tmp"/step*.diff; do
	(cd "$copy" && git apply "$f") >"$tmp/said" 2>&1
	check "$(basename "$f") applies: $(cat "$tmp/said")" [ $? -eq 0 ]
done
(cd "$copy" && make -j2 OPT=-O0 EXEC_OPT= VECTORS=no warpdbg) >"$tmp/made" 2>&1
check "the copy builds: $(grep -m1 error "$tmp/made")" [ -x "$copy/warpdbg" ]
W=$copy/warpdbg

expect 0 "the one behind the SM that was served last" list policies
expect 0 "zero  (placement policy)" explain zero
expect 2 "no such placement policy 'one'; there are: turns zero" run --placement one
expect 0 '"placement": "zero"' run vecadd --size small --placement zero --stats - --format json
expect 0 "placement" compare vecadd --size small --a '' --b '--placement zero'
expect 0 "zero" debug vecadd --size small --batch -ex 'set placement zero' -ex 'info policies'
expect 0 "set placement turns" debug vecadd --size small --batch -ex 'complete set placement t'
expect 0 "explain placement" debug vecadd --size small --batch -ex 'complete explain placem'
expect 2 "there are: turns zero" debug vecadd --size small --batch -ex 'step 3000' -ex 'set placement one'
expect 0 "$(printf 'zero\tturns')" debug vecadd --size small --batch -ex 'step 3000' -ex 'set placement zero' -ex 'step 10' \
	-ex 'lua a = gpu.conf.placement' -ex 'undo' -ex 'undo' -ex 'lua print(a, gpu.conf.placement)'
cycles() {
	"$W" run hotspot --size small --placement "$1" --stats - --format json | sed -n 's/^ *"cycles": \([0-9]*\),.*/\1/p' | head -1
}
check "turns is what it was, zero is not" [ "$(cycles turns)" = "$(./warpdbg run hotspot --size small --stats - --format json |
	sed -n 's/^ *"cycles": \([0-9]*\),.*/\1/p' | head -1)" -a "$(cycles turns)" != "$(cycles zero)" ]
cat >"$tmp/paper.lua" <<'LUA'
local run = { workload = "vecadd", size = "small", placement = "zero", cta_virtual = "vt" }
return {
	help = "a kind of its own", source = "A. Nobody, Nowhere 1999",
	figures = { { name = "1", title = "cycles", runs = function() return { run } end, table = function(result)
		return { columns = { "policy", { name = "cycles", digits = 0 } }, rows = { { "zero", assert(result(run)).cycles } } }
	end } },
}
LUA
expect 0 "1 runs: 1 done, 0 from before, 0 failed" paper "$tmp/paper.lua" --out "$tmp/r"
check "which says so to its runs" grep -qe '--placement zero.*--cta-virtual vt\|--cta-virtual vt.*--placement zero' "$tmp/r/commands.txt"
