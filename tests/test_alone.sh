#!/bin/sh
# --alone: slowdown, ANTT and STP of programs that share a machine, against runs of each by itself; what is kept of these,
# when it is used again, and what becomes of damaged or unwritable files.
. "$(dirname "$0")/cli_rig.sh"

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
	awk '{ $4 *= 2; print }' "$f" >"$tmp/twice" && cp "$f" "$tmp/good.$(basename "$f")" && cp "$tmp/twice" "$f"
done
pair "$tmp/b.json" --alone
check "from what is kept" near "$(field "$tmp/b.json" stp)" "$(awk -v s="$(field "$tmp/a.json" stp)" 'BEGIN { print 2 * s }' OFMT=%.9f)"
for damage in "" "alone 1 cycles 5" "alone 2 cycles 5 warp_insts 5 end" "$(head -c 300 /dev/zero | tr '\0' x)"; do
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
expect 2 "bad alone, for --alone: " debug --batch hotspot --size small "$tmp/bad.lua" --alone -ex 'info programs'
