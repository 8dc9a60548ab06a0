#!/bin/sh
# Outputs: what is read is never written, under whatever names; what was there stays until a file is complete; what
# cannot be written is said.
. "$(dirname "$0")/../rig/cli_rig.sh"
k=configs/kernels
i=$tmp/in
mkdir "$i"
small="vecadd --size small"
cat >"$i/host.lua" <<'END'
local n = require("need")
return { run = function(cuda, p)
	local m = cuda.module("k.ptx")
	local d = cuda.malloc(4 * n)
	cuda.launch(m.vecadd, 1, 32, { d, d, d, n })
	cuda.sync()
end }
END
echo 'return 32' >"$i/need.lua"
cp $k/vecadd.ptx "$i/k.ptx"
echo 'return { ["num_sms"] = 2 }' >"$i/base.lua"
echo "return { base = \"$i/base.lua\" }" >"$i/machine.lua"
echo 'policy.warp { pick = function(sm, ready) return policy.next(ready) end }' >"$i/policy.lua"
echo 'step 10' >"$i/commands"
echo 'print("here")' >"$i/script.lua"
head -c 128 /dev/zero >"$i/data.bin"
cp -r "$i" "$tmp/before"
run="run $i/host.lua --gpu $i/machine.lua --warp-sched lua:$i/policy.lua --script $i/script.lua"
ptx="$i/k.ptx --kernel vecadd --grid 1 --block 32 --arg f32[32]=@$i/data.bin --arg f32[32]=1 --arg f32[32]=zero --arg u32=32"

# Every input of a run, as every output.
for f in host.lua need.lua k.ptx base.lua machine.lua policy.lua script.lua; do
	for o in --stats --timeline --trace --record-launches; do
		expect 2 "$f is a file that is read" $run $o "$i/$f"
	done
done
expect 2 "host.lua: the ending says what is written" $run --phases "$i/host.lua"
ln "$i/data.bin" "$i/data.csv"
ln -s data.csv "$i/link.csv"
for f in data.bin link.csv; do
	for o in --timeline --phases; do
		[ $o = --phases ] && [ $f = data.bin ] && continue
		expect 2 "is a file that is read" run $ptx $o "$i/$f"
	done
	expect 2 "is a file that is read" run $ptx --out "0=$i/$f"
	expect 2 "is a file that is read" compare $ptx --a '' --b '--warp-sched lrr' --stats "$i/$f"
done
expect 2 "policy.lua is a file that is read" compare $small --a '' --b "--warp-sched lua:$i/policy.lua" --stats "$i/policy.lua"
expect 2 "commands is a file that is read" debug $small --batch -x "$i/commands" --stats "$i/commands"
expect 2 "commands is a file that is read" debug $small --batch -x "$i/commands" -ex "record start $i/commands"
expect 2 "policy.lua is a file that is read" debug $small --batch --warp-sched "lua:$i/policy.lua" -ex 'step 5' \
	-ex "export json $i/policy.lua"
expect 2 "k.ptx is a file that is read" debug "$i/host.lua" --batch -ex 'step 5' -ex "record start $i/k.ptx"
check "commands from standard input" sh -c "! '$W' debug $small --batch -ex 'record start $i/commands' <'$i/commands'"
rm "$i/data.csv" "$i/link.csv"
check "all inputs are as they were, and nothing is beside them" diff -r "$i" "$tmp/before"

# One file for two.
expect 2 "is the file of --out" run $ptx --out "0=$tmp/x.bin" --out "1=$tmp/./x.bin"
expect 2 "is the file of --timeline" debug $small --batch --timeline "$tmp/t.csv" -ex 'step 5' -ex "export csv $tmp/t.csv"
expect 2 "is the file of record" debug $small --batch -ex "record start $tmp/r" -ex 'step 5' -ex "export json $tmp/r"
check "nor is anything left of them" test ! -e "$tmp/x.bin" -a ! -e "$tmp/x.bin.part"

# What was there stays until there is something better; then its links and rights do.
o=$tmp/out.d
mkdir "$o"
echo before >"$o/s.json"
echo 'return { run = function() error("no run") end }' >"$tmp/fails.lua"
expect 2 "no run" run "$tmp/fails.lua" --stats "$o/s.json" --timeline "$o/s.csv"
expect 2 "no workload" run nothing --stats "$o/s.json"
expect 2 "No such file" run $small --stats "$o/s.json" --trace "$tmp/none/x"
check "an old file stays where nothing ran" sh -c "grep -qx before '$o/s.json' && test \"\$(ls '$o')\" = s.json"
chmod 640 "$o/s.json"
ln -s s.json "$o/link"
expect 0 "IPC" run $small --stats "$o/link" --format json
check "links and rights stay" sh -c "test -L '$o/link' && test \$(stat -c %a '$o/s.json') = 640 && grep -q '\"schema\"' '$o/s.json'"
expect 0 "" run $small --stats "$o/s.json" --timeline "$o/t.csv" --trace "$o/t.json" --phases "$o/p.svg"
check "nothing else is left" test "$(ls "$o" | tr '\n' ' ')" = "link p.svg s.json t.csv t.json "
expect 0 "" debug $small --batch -ex 'step 100' -ex "export json $o/a" -ex "export json $o/a" -ex "record start $o/b" \
	-ex 'step 10' -ex 'record stop' -ex "record start $o/b" -ex 'step 500'
check "a command writes its own file again" test -s "$o/a" -a -s "$o/b"

# What cannot be written is said: before the run where that is known.
: >"$o/file"
for x in --stats --timeline --trace --record-launches; do
	expect 2 "Is a directory" run $small $x "$o" --max-cycles 1
	expect 2 "Not a directory" run $small $x "$o/file/x" --max-cycles 1
	expect 2 "No such file or directory" run $small $x "$o/none/x" --max-cycles 1
	expect 2 "No space left on device" run $small $x /dev/full
done
expect 2 "No space left on device" run $ptx --out 0=/dev/full
expect 2 "record: /dev/full: cannot write: No space" debug $small --batch -ex 'record start /dev/full' -ex 'step 100'
expect 2 "record stop: /dev/full: cannot write" debug $small --batch -ex 'record start /dev/full' -ex 'step 10' -ex 'record stop'
expect 2 "/dev/full: cannot write" debug $small --batch -ex 'step 10' -ex 'export json /dev/full'
check "standard output is a file like others" sh -c \
	"'$W' run $small --timeline /dev/stdout --stats '$o/s.json' >'$o/stdout' && grep -q '^cycle,' '$o/stdout'"

# Virtual threads: the summary has the swaps of all SMs and their mean, as the statistics have them; others have no such line.
"$W" run $small --cta-virtual vt --stats "$o/vt.json" >"$o/vt" 2>&1
swaps=$(sed -n '/^ "sm": {/,/^ }/s/^  "vt_swaps": \([0-9]*\),*$/\1/p' "$o/vt.json")
cycles=$(sed -n '/^ "sm": {/,/^ }/s/^  "vt_swap_cycles": \([0-9]*\),*$/\1/p' "$o/vt.json")
mean=$(awk "BEGIN { printf \"%.1f\", $cycles / $swaps }")
check "the summary has swaps of virtual threads" grep -qx \
	" swaps $swaps CTAs got slots that they did not begin with, in $mean cycles on average" "$o/vt"
check "swaps happened" test "$swaps" -gt 100
"$W" run $small >"$o/vt" 2>&1
check "and none without them" sh -c "grep -q '^ L1D' '$o/vt' && ! grep -q swaps '$o/vt'"
