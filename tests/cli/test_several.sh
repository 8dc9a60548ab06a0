#!/bin/sh
# Several host programs from outside: Ctrl-C, what each writes, a second machine in lock step, events on record, going
# back over the end of one.
. "$(dirname "$0")/../rig/cli_rig.sh"

cat >"$tmp/count.ptx" <<'PTX'
.version 4.3
.target sm_20
.address_size 64
.visible .entry count(.param .u64 out, .param .u32 n)
{
	.reg .pred %p;
	.reg .u32 %r<3>;
	.reg .u64 %d;
	ld.param.u64 %d, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
again:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra again;
	st.global.u32 [%d], %r2;
	exit;
}
PTX
of() { # of N FILE: a program that counts to N, whose answer goes to a file
	echo "$tmp/count.ptx --kernel count --grid 2 --block 32 --arg u32[1]=zero --arg u32=$1 --out 0=$2"
}
number() { # FILE: the integer in it
	od -A n -t u4 "$1" | tr -d ' '
}
runs() { # waits until a program is at work on its trace, and has had time to take signals and to end what is short
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
		[ -s "$1.part" ] && sleep 1 && return
		sleep 0.2
	done
}

# --- what each writes is its own
expect 0 "count#2" run $(of 700 "$tmp/a.bin") $(of 90 "$tmp/b.bin") --partition smk
check "the first's answer" test "$(number "$tmp/a.bin")" = 700
check "the second's answer" test "$(number "$tmp/b.bin")" = 90
expect 2 "a.bin is the file of --out" run $(of 700 "$tmp/a.bin") $(of 90 "$tmp/a.bin")
expect 2 "nowhere/a.bin: No such file or directory" run $(of 700 "$tmp/nowhere/a.bin") $(of 90 "$tmp/b.bin")

# --- values on the screen say whose they are, in the order in which the programs end; one program's are bare
print_of() { # print_of N: it counts to N
	echo "$tmp/count.ptx --kernel count --grid 2 --block 32 --arg u32[2]=zero --arg u32=$1 --print 0"
}
printed() { # lines on standard output before the summary
	"$W" "$@" --partition smk 2>/dev/null | sed '/ on gtx480/,$d' | tr '\n' ' '
}
check "one program" test "$(printed run $(print_of 70))" = "70 0 "
check "two programs" test "$(printed run $(print_of 700) $(print_of 90))" = "count#2: 90 count#2: 0 count: 700 count: 0 "
check "one of two prints" test "$(printed run vecadd --size small $(print_of 70))" = "count: 70 count: 0 "
"$W" debug --batch $(print_of 700) $(print_of 90) -ex continue -ex 'goto 100' -ex continue >"$tmp/said" 2>&1
check "the debugger, once" test "$(grep '^count' "$tmp/said" | tr '\n' ' ')" = "count#2: 90 count#2: 0 count: 700 count: 0 "

# --- the timeline is the machine's: to the end of the last program, what all have executed
"$W" run $(of 7000 "$tmp/a.bin") $(of 90 "$tmp/b.bin") --partition smk --timeline "$tmp/t.csv" --set timeline.period=500 --stats "$tmp/t.json" >/dev/null
insts=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["ipc"] * $at["cycles"] } END { printf "%.0f", n }' "$tmp/t.csv")
sum=$(sed -n '/"programs"/,$p' "$tmp/t.json" | sed -n 's/^ *"warp_insts": \([0-9]*\),*$/\1/p' | head -2 | awk '{ n += $1 } END { print n }')
check "instructions of both: $insts, $sum" awk "BEGIN { exit !($sum > 40000 && ($insts - $sum) ^ 2 < 1e-8 * $sum ^ 2) }"
last=$(tail -1 "$tmp/t.csv" | cut -d, -f1)
check "to the end of the last: $last" test "$last" = "$(sed -n 's/^ "cycles": \([0-9]*\),*$/\1/p' "$tmp/t.json")"
check "after the end of the other" test "$(sed -n 's/^ *"ended_at": \([0-9]*\),*$/\1/p' "$tmp/t.json" | sort -n | head -1)" -lt 3000

# --- Ctrl-C
for how in run "debug --batch -ex continue"; do
	what=${how%% *} rest=${how#"$what"}
	rm -f "$tmp/ended.bin" "$tmp/endless.bin"
	"$W" $what $(of 900 "$tmp/ended.bin") $(of 4000000000 "$tmp/endless.bin") --trace "$tmp/$what.json" --stats "$tmp/stats.json" $rest \
		>"$tmp/text" 2>&1 &
	pid=$!
	runs "$tmp/$what.json"
	kill -INT $pid
	wait $pid 2>/dev/null
	check "$what: Ctrl-C ends it with 130" [ $? -eq 130 ]
	check "$what: statistics of both" [ "$(grep -c '"name": "count' "$tmp/stats.json")" -ge 4 ]
	check "$what: which of them is done" sh -c "grep -c '\"done\": true' '$tmp/stats.json' | grep -qx 1"
	check "$what: the trace has the end of the first" grep -q '"name":"count' "$tmp/$what.json"
	check "$what: no answer of what has not ended" test ! -e "$tmp/endless.bin"
done

# --- a second machine beside this one
two="--size small vecadd hotspot --partition smk"
expect 0 "different warps" debug $two --compare '--warp-sched lrr' --batch -ex continue
expect 0 "B: finished at cycle" debug $two --compare '--warp-sched lrr' --batch -ex continue -ex continue
cycles() { # of a run
	"$W" run $two "$@" | sed -n 's/^ cycles *\([0-9,]*\) .*/\1/p'
}
expect 0 "A  cycle " compare $two --a '' --b '--warp-sched lrr'
cp "$tmp/out" "$tmp/compared"
check "A and B have the cycles of their runs" grep -q "^ cycles  *$(cycles)  *$(cycles --warp-sched lrr) " "$tmp/compared"
check "both programs of both pass" [ "$(grep -c '^ [AB] .*: finished, check passed' "$tmp/compared")" -eq 2 ]
check "the kernels of both programs" grep -q "^ 1 hotspot " "$tmp/compared"

# --- events on record: gone through twice, written once; the past changed, taken out
record() { # FILE COMMANDS...
	file=$1
	shift
	"$W" debug $two --batch -ex "record start $file kernel-launch kernel-start kernel-done cta-done" "$@" -ex 'record stop' >"$tmp/said" 2>&1
}
record "$tmp/once.json" -ex continue
record "$tmp/twice.json" -ex 'until gpu.cycle >= 4000' -ex 'goto 500' -ex 'until gpu.cycle >= 3000' -ex 'reverse-step 2000' -ex continue
check "events of both" [ "$(grep -c kernel-done "$tmp/once.json")" -eq "$(grep -c kernel-start "$tmp/once.json")" ]
check "some events" [ "$(wc -l <"$tmp/once.json")" -gt 60 ]
check "gone through twice, written once" cmp "$tmp/once.json" "$tmp/twice.json"

# --- back over the end of one program, and of both
"$W" debug $two --batch -ex 'break kernel-done kernel=0' -ex continue -ex delete -ex 'step 600' -ex 'info programs' -ex 'lua c, h = gpu.cycle, gpu.hash' \
	-ex 'goto 100' -ex 'info programs' -ex 'lua goto_cycle = c' -ex 'until gpu.cycle >= goto_cycle' \
	-ex 'lua print(gpu.hash == h and "the same state" or "another state")' -ex continue -ex 'lua e = gpu.hash' -ex 'goto 50' -ex continue \
	-ex 'lua print(gpu.hash == e and "the same end" or "another end")' -ex 'info programs' >"$tmp/said" 2>&1
check "the same state again" grep -qx "the same state" "$tmp/said"
check "the same end again" grep -qx "the same end" "$tmp/said"
check "one is done while the other is not" sh -c "sed -n '/vecadd .*pass\$/=; /hotspot .*not done/=' '$tmp/said' | head -2 | wc -l | grep -qx 2"
check "both pass in the end" [ "$(tail -2 "$tmp/said" | grep -c '  pass$')" -eq 2 ]
