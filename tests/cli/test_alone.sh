#!/bin/sh
# --alone: slowdown, ANTT and STP of programs that share a machine, against runs of each by itself; what is kept of these,
# when it is used again, and what becomes of damaged or unwritable files.
. "$(dirname "$0")/../rig/cli_rig.sh"

export XDG_CACHE_HOME="$tmp/cache"
mkdir "$XDG_CACHE_HOME"
kept="$XDG_CACHE_HOME/warpdbg/alone"
pair() { # STATS-FILE [options]
	out=$1
	shift
	"$W" run hotspot --size small cp --size small --partition smk "$@" --stats "$out" >/dev/null
}
field() { # FILE NAME: of each program, or of the run
	sed -n "s/^ *\"$2\": \([-0-9.a-z]*\),*\$/\1/p" "$1"
}
near() { # A B
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-10 * a * a) }'
}

pair "$tmp/plain.json"
check "nothing is measured unasked" test "$(field "$tmp/plain.json" antt)" = null
check "nothing is kept unasked" test ! -e "$kept"
pair "$tmp/a.json" --alone
check "sharing runs as without" test "$(field "$tmp/a.json" cycles | tail -1)" = "$(field "$tmp/plain.json" cycles | tail -1)"
i=0
for w in hotspot cp; do
	i=$((i + 1))
	"$W" run $w --size small --partition smk --stats "$tmp/$w.json" >/dev/null
	# A program's time is from its first launch to its last kernel's end: launches are at 0 here.
	cpi=$(awk -v c="$(field "$tmp/$w.json" ended_at | tail -1)" -v n="$(field "$tmp/$w.json" warp_insts | head -1)" 'BEGIN { print c / n }')
	of=$(field "$tmp/a.json" alone_cpi | sed -n ${i}p)
	check "$w alone: $cpi, $of" near "$cpi" "$of"
	together=$(field "$tmp/a.json" cpi | sed -n ${i}p)
	eval slow$i="$(awk -v a="$together" -v b="$of" 'BEGIN { printf "%.9f", a / b }')"
done
check "ANTT" near "$(field "$tmp/a.json" antt)" "$(awk "BEGIN { print ($slow1 + $slow2) / 2 }" OFMT=%.9f)"
check "STP" near "$(field "$tmp/a.json" stp)" "$(awk "BEGIN { print 1 / $slow1 + 1 / $slow2 }" OFMT=%.9f)"
check "both are kept" test "$(ls "$kept" | wc -l)" -eq 2

# What is kept is used: twice the cycles, half the slowdown. Damaged: measured anew, and mended.
for f in "$kept"/*; do
	awk 'NR == 1 { $4 *= 2 } { print }' "$f" >"$tmp/twice" && cp "$f" "$tmp/good.$(basename "$f")" && cp "$tmp/twice" "$f"
done
pair "$tmp/b.json" --alone
check "from what is kept" near "$(field "$tmp/b.json" stp)" "$(awk -v s="$(field "$tmp/a.json" stp)" 'BEGIN { print 2 * s }' OFMT=%.9f)"
for damage in "" "alone 1 cycles 5" "alone 2 cycles 5 warp_insts 5 end" "alone 2 cycles 5 warp_insts 5 launches 2 1 5 5 end" \
	"alone 2 cycles 5 warp_insts 5 launches 4000000000 end" "$(head -c 300 /dev/zero | tr '\0' x)"; do
	for f in "$kept"/*; do
		printf '%s' "$damage" >"$f"
	done
	pair "$tmp/c.json" --alone
	check "damaged: $damage" test "$(field "$tmp/c.json" stp)" = "$(field "$tmp/a.json" stp)"
done
for f in "$kept"/*; do
	check "mended" cmp -s "$f" "$tmp/good.$(basename "$f")"
done

# Another problem, machine, policy or file is another measurement.
"$W" run hotspot --size small cp --size small --param atoms=20 --partition smk --alone >/dev/null
check "another parameter" test "$(ls "$kept" | wc -l)" -eq 3
"$W" run hotspot --size small cp --size small --partition smk --alone --warp-sched lrr >/dev/null
check "another policy" test "$(ls "$kept" | wc -l)" -eq 5
for n in 1 2; do
	cat >"$tmp/own.lua" <<-END
		return { run = function(cuda)
			local m = cuda.module("vecadd.ptx")
			local n = $n * 4096
			local a = cuda.malloc(4 * n)
			cuda.launch(m.vecadd, $n * 16, 256, { a, a, a, n })
		end }
	END
	expect 0 "STP" run hotspot --size small "$tmp/own.lua" --alone
done
check "a file that has changed" test "$(ls "$kept" | wc -l)" -eq 8 # hotspot without smk, and two
check "no leftovers" test -z "$(ls "$kept" | grep part)"

XDG_CACHE_HOME=/proc/none expect 0 "STP" run hotspot --size small cp --size small --alone
(unset XDG_CACHE_HOME HOME && "$W" run hotspot --size small cp --size small --alone | grep -q STP)
check "no place to keep it" test $? -eq 0
echo 'return { run = function() error("not today", 0) end }' >"$tmp/bad.lua"
expect 2 "bad alone, for --alone: " run hotspot --size small "$tmp/bad.lua" --alone
expect 0 "hotspot on gtx480" run hotspot --size small --alone

# The debugger shows them while the programs run, back in the past too, and in the end what `run` says.
sharing() { # what `run --alone` prints of ANTT and STP, as the debugger has it
	"$W" run hotspot --size small cp --size small --partition smk --alone | sed -n 's/^ *ANTT \([0-9.]*\) *STP \([0-9.]*\).*/ANTT \1, STP \2/p'
}
in_debug() { # of two: -ex COMMANDS...
	"$W" debug --batch hotspot --size small cp --size small --partition smk "$@"
}
end=$(sharing)
check "ANTT and STP of run: $end" test -n "$end"
in_debug --alone -ex 'until 5' -ex 'info programs' -ex 'until 9000' -ex 'info programs' -ex 'continue' -ex 'info programs' \
	-ex 'goto 9000' -ex 'info programs' \
	-ex 'lua p = dbg.programs()[1] print(p.slowdown == p.cpi / p.alone_cpi and p.slowdown > 1)' >"$tmp/debug"
check "none before an instruction, then three times" test "$(grep -c '^ANTT' "$tmp/debug")" -eq 3
check "in the end that of run" test "$(grep '^ANTT' "$tmp/debug" | sed -n 2p)" = "$end"
check "the same again in the past" test "$(grep '^ANTT' "$tmp/debug" | sed -n 1p)" = "$(grep '^ANTT' "$tmp/debug" | sed -n 3p)"
check "another while they run" test "$(grep '^ANTT' "$tmp/debug" | sed -n 1p)" != "$end"
check "in Lua" grep -q '^true' "$tmp/debug"
check "nothing unasked" test "$(in_debug -ex 'until 9000' -ex 'info programs' | grep -c 'ANTT\|slowdown')" -eq 0
echo 'return { run = function(cuda) cuda.malloc(4) end }' >"$tmp/looks.lua"
expect 0 "STP" run hotspot --size small "$tmp/looks.lua" --alone # one that launches nothing does not count
expect 0 "ANTT 1.000, STP 1.000" debug --batch hotspot --size small "$tmp/looks.lua" --alone -ex continue -ex 'info programs'
check "begun again, the same" test "$(in_debug --alone -ex 'until 90' -ex run -ex 'info programs' | grep '^ANTT')" = "$end"
check "with other options it is not known" \
	test "$(in_debug --alone -ex 'run --warp-sched lrr' -ex 'info programs' | grep -c '^ANTT')" -eq 0

# Of each launch: its time from where it could have started. K0, K1 and K2 are one program's, cp is K3. K1 is queued
# behind K0, K2 has company of nobody: it comes when cp has ended.
cat >"$tmp/three.lua" <<'END'
return { run = function(cuda)
	local m = cuda.module("vecadd.ptx")
	local n = 65536
	local a = cuda.malloc(4 * n)
	cuda.launch(m.vecadd, n // 256, 256, { a, a, a, n })
	cuda.launch(m.vecadd, n // 512, 256, { a, a, a, n // 2 })
	cuda.launch(m.vecadd, n // 256, 256, { a, a, a, n }, { start_us = 100 })
end }
END
cat >"$tmp/times.lua" <<'END'
function times() -- of K0, K1, K2: cycles from where each could have started
	local k, latency = gpu.kernel, gpu.conf["launch.latency"]
	return k[0].ended_at - latency, k[1].ended_at - k[0].ended_at - latency, k[2].ended_at - 70000 -- 100 us at 700 MHz
end
function near(a, b) return a and b and math.abs(a - b) < 1e-9 end
END
with="--partition smk --set launch.latency=700 --script $tmp/times.lua"
"$W" debug --batch "$tmp/three.lua" $with -ex continue -ex 'lua print("alone", times())' \
	-ex 'lua print("one", gpu.kernel[0].slowdown, gpu.kernel[0].antt)' >"$tmp/one"
check "of one program there is none" grep -qx 'one.nil.nil' "$tmp/one"
alone=$(sed -n 's/^alone.//p' "$tmp/one" | tr '\t' ',')
"$W" debug --batch "$tmp/three.lua" cp --size small $with --alone -ex 'lua k = gpu.kernel' \
	-ex 'until 1' -ex 'lua print("begin", k[0].slowdown, k[0].antt)' \
	-ex 'until 3000' -ex 'lua s, a = k[0].slowdown, k[0].antt print("early", near(a, (s + k[3].slowdown) / 2), k[1].slowdown, k[1].antt)' \
	-ex continue -ex "lua now, alone = { times() }, { $alone } for i = 1, 3 do print('k' .. i, near(now[i] / alone[i], k[i - 1].slowdown)) end" \
	-ex 'lua print("with K3", near(k[0].antt, (k[0].slowdown + k[3].slowdown) / 2), near(k[1].antt, (k[1].slowdown + k[3].slowdown) / 2))' \
	-ex 'lua print("K3", near(k[3].antt, (k[0].slowdown + k[1].slowdown + k[3].slowdown) / 3), k[2].antt == k[2].slowdown, k[0].slowdown > 1.1)' \
	-ex 'goto 3000' -ex 'lua print("again", k[0].slowdown == s, k[0].antt == a)' >"$tmp/two"
for line in begin.nil.nil early.true.nil.nil k1.true k2.true k3.true with.K3.true.true K3.true.true.true again.true.true; do
	check "of launches: $line" grep -qx "$line" "$tmp/two"
done
# A CTA that begins again does its work twice: the slowdown is that of the time, of the program and of its launch.
cat >"$tmp/later.lua" <<'END'
return { run = function(cuda)
	local m = cuda.module("vecadd.ptx")
	local n = 65536
	local a = cuda.malloc(4 * n)
	cuda.launch(m.vecadd, n // 256, 256, { a, a, a, n }, { start_us = 5 })
end }
END
flush="--partition spatial --preempt flush --dynamic-idempotence"
"$W" debug --batch hotspot --size small $flush -ex continue -ex 'lua print("alone", gpu.kernel[0].ended_at, gpu.kernel[1].ended_at - gpu.kernel[0].ended_at)' \
	>"$tmp/one"
alone=$(sed -n 's/^alone.//p' "$tmp/one" | tr '\t' ',')
"$W" debug --batch hotspot --size small "$tmp/later.lua" $flush --alone --script "$tmp/times.lua" -ex continue \
	-ex "lua k, alone = gpu.kernel, { $alone } print('dropped', dbg.programs()[1].insts_dropped > 0)" \
	-ex 'lua own = {} for i = 0, #k - 1 do if k[i].program == 0 then own[#own + 1] = k[i] end end' \
	-ex 'lua first, second = own[1].ended_at, own[2].ended_at' \
	-ex 'lua print("program", near(dbg.programs()[1].slowdown, second / (alone[1] + alone[2])))' \
	-ex 'lua print("launches", near(own[1].slowdown, first / alone[1]), near(own[2].slowdown, (second - first) / alone[2]))' >"$tmp/two"
for line in dropped.true program.true launches.true.true; do
	check "of what began again: $line" grep -qx "$line" "$tmp/two"
done
# Alone the launch of that number was another one: its kernel, its CTAs. One of a later run has none.
cat >"$tmp/other.lua" <<'END'
return { run = function(cuda)
	local m = cuda.module("vecadd.ptx")
	local n = 4096
	local a = cuda.malloc(4 * n)
	cuda.launch(m.vecadd, n // 256 + math.min(#gpu.kernel, 1), 256, { a, a, a, n })
	cuda.sync()
	cuda.launch(m.vecadd, n // 256, 256, { a, a, a, n })
end }
END
"$W" debug --batch hotspot --size small "$tmp/other.lua" --partition smk --alone --again -ex continue \
	-ex 'lua for i = 0, #gpu.kernel - 1 do local k = gpu.kernel[i] print(k.name, k.ctas, k.slowdown and "known" or "nil", k.antt and "known" or "nil") end' >"$tmp/two"
check "another launch, later runs: unknown" test "$(grep -c '^vecadd.17.nil.nil' "$tmp/two") $(grep -c '^vecadd.16' "$tmp/two")" = "$(
	grep -c '^vecadd.17' "$tmp/two") $(($(grep -c '^vecadd.16.nil.nil' "$tmp/two") + 1))"
check "its second launch is the same" test "$(grep '^vecadd' "$tmp/two" | sed -n 2p | tr '\t' ' ')" = "vecadd 16 known known"
check "beside another launch no ANTT" test "$(sed -n '/^hotspot/p' "$tmp/two" | tr '\t' ' ' | tr '\n' '|')" = "hotspot 64 known nil|hotspot 64 known known|"
expect 2 "bad alone, for --alone: " debug --batch hotspot --size small "$tmp/bad.lua" --alone -ex 'info programs'
