#!/bin/sh
# warpdbg learn: every lesson is played to its end. The right answers come from closed forms, from other runs and from what
# `info` prints, not from what the lessons ask the machine. Wrong answers are refused, as are lessons that are wrong.
. "$(dirname "$0")/../rig/cli_rig.sh"
export HOME="$tmp/home" XDG_STATE_HOME="$tmp/home"
unset WARPDBG_LESSONS
mkdir -p "$HOME"
programs=scripts/lessons/programs

# learn LESSON: plays the lines of standard input; what is said goes to $tmp/said
learn() {
	timeout 300 "$W" learn "$@" >"$tmp/said" 2>&1
}
said() { # said NAME TEXT...: each is in what was said, in this order
	name=$1
	shift
	from=1
	for text in "$@"; do
		at=$(tail -n +$from "$tmp/said" | grep -nF -m1 -- "$text" | cut -d: -f1)
		if [ -z "$at" ]; then
			echo "not ok $name: '$text' is not said from line $from on: $(tail -n +$from "$tmp/said" | head -4 | tr '\n' '|')"
			return
		fi
		from=$((from + at))
	done
	echo "ok $name"
}
done_is() { # done_is LESSON: it has come to its end, nothing failed, and the list says so
	said "$1 is done" "the lesson is done"
	check "no error in $1" sh -c "! grep -E '^error|itself has failed|cannot be kept' '$tmp/said'"
	check "$1 is on the list" sh -c "'$W' learn | grep -Eq '^ +[0-9]+ +$1 .*min  done'"
}
cycles() { # cycles ARGUMENTS...: of a run
	"$W" run "$@" --format json 2>/dev/null | sed -n 's/^ "cycles": \([0-9]*\),$/\1/p' | head -1
}
fastest() { # fastest KEY VALUES OPTIONS...: the value with the fewest cycles
	key=$1 values=$2
	shift 2
	for v in $values; do echo "$(cycles "$@" --"$key" $v) $v"; done | sort -n | head -1 | cut -d' ' -f2
}
sm_ipc() { # sm_ipc TIMES PROGRAM OPTIONS...: of one of the four SMs, from the table of a run of its own
	times=$1
	shift
	"$W" debug "$@" --batch -ex 'whatif warp-sched=gto from 0' | awk '/as it is/ { print '$times' * $5 / 4 }'
}
calc() { awk "BEGIN { print $1 }"; }

# --- 1: 32 words of 4 bytes are one line of 128; words of different rows are a line each
printf '%s\n' '' continue '' 'answer 32' 'answer 2' 'answer 1' '' 'answer 1' 'answer 16' 'answer 32' '' 'answer no' 'answer 1' 'answer 2' '' \
	'answer 3' 'answer 20,000 cycles' '' 'run --param tiled=0' 'run --param tiled=1' '' 'answer 32' 'answer 1' '' | learn coalescing
said "coalescing" "That is what the stores take" "Not 2 transactions: that is too high" "Right: 1 transaction." \
	"One is what a load takes" "can they share" "Right: 32 transactions." "Not no warp." "Not lsu busy." "Right: l1 queue full." "Guess higher" \
	"Noted: 20,000 cycles." "This was transpose_naive" "Done. You expected 20,000" "Not 32 transactions: that is too high" "Right: 1 transaction."
done_is coalescing

# --- 2: 32768 registers, 24 for each of 256 threads; cycles from runs of their own
ctas=$(calc "int(32768 / (24 * 256))")
occupancy="matmul --set num_sms=4 --param n=128"
one=$(cycles $occupancy --set sm.ctas=1) two=$(cycles $occupancy --set sm.ctas=2) four=$(cycles $occupancy --set sm.ctas=4) \
	five=$(cycles $occupancy --set sm.ctas=5)
printf '%s\n' '' 'goto 500' '' 'answer 8' 'answer 64' "answer $ctas" '' 'answer threads' 'answer shared' 'answer reg' '' 'answer 40' \
	'answer 0.833' "answer $(calc "100 * $ctas * 8 / 48") %" '' 'whatif sm.ctas=1,2,3,4,5 from 0' '' "answer $(calc "$two / $one")" \
	"answer $(calc "$one / $two")" '' 'answer 1.3' "answer $(calc "$four / $five")" '' | learn 2
said "occupancy" "That is the number of CTA slots" "That is the whole grid" "Right: 5 CTAs." "40 warps; the SM has places for 48" \
	"room for more" "Right: registers." "That is the number of resident warps" "a hundred times as much" "Right: 83.33 %" "Done." \
	"the other way round" "Right: 1.63 times" "Not 1.3 times: that is too high" "Right: 1.01 times"
done_is occupancy

# --- 3: every second lane, then whole warps. Going back, changing something there and undoing it leave the lesson as it is.
printf '%s\n' '' 'tbreak branch-diverge' continue '' 'reverse-step 10' 'undo' 'answer 32' 'answer 16' '' continue 'goto 500' \
	'set warp-sched lrr' undo continue '' 'answer 32' 'answer 16' '' 'answer 1000000' 'answer 40000' '' 'run --param run=16' \
	'run --param run=32' '' 'answer 16' 'answer 64' 'answer 32' '' | learn divergence
said "divergence" "step 3 of 8" "32 is the whole warp" "Right: 16 lanes." "Done. The kernel took" "step 5 of 8" "Not 32 lanes" "Right: 16 lanes." \
	"No thread does more than before" "Noted: 40,000" "Only 1" "Done. You expected 40,000" "lanes of both kinds" "Does a smaller one" "Right: 32 threads."
done_is divergence

# --- 4: the latency as `info latency` prints it; the loop's instructions as its PTX has them; IPC of two lengths of the run
chain="$programs/chain.lua --set num_sms=4"
hit=$("$W" debug $chain --batch -ex continue -ex 'info latency' | awk '$1 == "L1" { print $3; exit }')
insts=$(awk '/entry chain\(/ { on = 1 } on && /^LBB/ { label = substr($1, 1, length($1) - 1); n = 0 } on && /^\t[a-z@]/ { n++ }
	on && $1 == "bra.uni" && $2 == label ";" { print n; exit }' $programs/lessons.ptx)
ipc=$(sm_ipc 100 $chain)
printf '%s\n' '' continue '' 'answer 302' "answer $hit" '' 'answer 3' "answer $insts" '' 'answer 0.146' "answer $ipc" '' 'answer 3' \
	'answer 1.2' '' 'run --param warps=9' 'run --param warps=8' '' 'run --param warps=10' 'run --param warps=16' '' | learn latency_hiding
said "latency hiding" "few that came from DRAM" "Right: 39 cycles." "Not 3 instructions: that is too low" "Right: 7 instructions." \
	"a hundred times as much" "Right: 14" "2 schedulers" "Noted: 1.2." "That had 9 warps" "Done. You expected 1.20" "10 warps: IPC 1.4" "Done. 16 warps"
done_is latency_hiding

# --- 5: 32 lanes with a stride of 8 use 32 / 8 banks
printf '%s\n' '' continue '' 'answer 4' 'answer 32' 'answer 16' "answer $(calc '32 / (32 / 8)')" '' 'run --param stride=4' 'info code transactions' \
	'run --param stride=8' 'info code transactions' '' 'answer 0.5' 'answer 32' '' 'run --param stride=16' 'run --param stride=32' '' \
	'run --param stride=34' 'run --param stride=33' '' | learn bank_conflicts
said "bank conflicts" "4 is the number of banks" "All 32 lanes in one bank" "Not 16 cycles: that is too high" "Right: 8 cycles." \
	"An access takes 4.0 cycles here" "Done. An access took 8 cycles" "How many times as long, please" "Noted: 32 times." \
	"this was not stride 32" "Done. You expected 32.0 times" "An access takes 2 cycles: still conflicts" "Done."
done_is bank_conflicts

# --- 6: 16 KB of lines of 128 bytes, 32 lines a warp
thrash="kmeans --size small --set num_sms=4"
lines=$(calc "16 * 1024 / 128")
"$W" run $thrash --format json >"$tmp/json" 2>/dev/null
rate=$("$W" debug $thrash --batch -ex continue -ex 'whatif warp-sched=gto from 0' | awk '/as it is/ { print 100 * $7 }')
best=$(fastest warp-sched "gto lrr ccws" $thrash)
printf '%s\n' '' 'answer 32' 'answer 16384' "answer $lines" '' 'answer 48' "answer $(calc "$lines / 32")" '' continue 'view cache' '' \
	'answer 81' "answer $rate" '' 'answer cold' 'answer 2' 'answer capacity' '' 'answer gto' "answer $best" '' 'run --warp-sched lrr' \
	"run --warp-sched $best" '' | learn thrashing
said "thrashing" "That is the number of sets" "Those are its bytes" "Right: 128 lines." "Not 48 warps" "Right: 4 warps." "Done. The run took" \
	"Not 81 %" "Right: 18.6 %." "Not cold." "Not conflict." "Right: capacity." "Not gto." "Right: ccws." "lrr: 152,359 cycles" "Done."
done_is thrashing

# --- 7: the table as it is printed
"$W" debug cfd --size small --set num_sms=4 --warp-sched rr --batch -ex 'goto 3000' -ex 'info phases' | sed -n '/^phase /,$p' >"$tmp/phases"
longest=$(awk '$1 ~ /^[0-9]+$/ && $7 > most { most = $7 } END { print most }' "$tmp/phases")
number=$(awk '$1 ~ /^[0-9]+$/ { n++ } END { print n }' "$tmp/phases")
best=$(fastest warp-sched "rr gto paws" cfd --size small --set num_sms=4)
printf '%s\n' '' 'goto 3000' 'view phases' '' 'answer 59' "answer $longest" '' "answer $((number - 1))" "answer $number" '' continue '' 'answer rr' \
	"answer $best" '' 'run --warp-sched gto' "run --warp-sched $best" '' | learn phases
said "phases" "That is a number of instructions" "Right: 479 cycles." "They are counted from 0" "Right: 36 phases." "Done. 44,768 cycles" "Not rr." \
	"Right: paws." "90.9 % of rr's" "Done."
done_is phases

# --- 8: 5 CTAs on 4 SMs, one on each: 3 of 4 SMs have nothing for half of the time
printf '%s\n' '' 'answer 5' 'answer 1' 'answer 4' '' 'answer 1.25' 'answer 2' '' continue '' 'answer 50' "answer $(calc '100 * 3 / 8') %" '' \
	'answer 100000' 'answer 60000' '' 'run --param block=512' 'run --param block=256' '' 'run --param block=32' '' 'answer equal' \
	'answer faster' 'answer slower' '' | learn tail_effect
said "tail effect" "That is the grid" "That many are on ONE SM" "Right: 4 CTAs." "Round it up" "Right: 2 waves." "Not 50 %" "Right: 37.3 %." \
	"no gain at all" "Noted: 60,000 cycles" "CTAs of 512 threads" "Done. You expected 60,000" "Done." "Not equal." "Not faster." "Right: slower."
done_is tail_effect
check "slower it is" test "$(cycles $programs/waves.lua --set num_sms=4 --param threads=5120 --param block=32)" -gt \
	"$(cycles $programs/waves.lua --set num_sms=4 --param threads=5120 --param block=256)"

# --- 9: 128 CTAs of 4 SMs, all of them resident
virtual="$programs/chain.lua --set num_sms=4 --param ctas=128 --param rounds=100 --param bits=16"
ipc=$(sm_ipc 1 $virtual)
swaps=$("$W" debug $virtual --cta-virtual vt --batch -ex continue -ex 'info swaps 1' | sed -n 's/^\([0-9]*\) swaps: .*/\1/p')
printf '%s\n' 'goto 5000' '' 'answer registers' 'answer 4' '' 'answer 1' continue 'answer 2' "answer $ipc" '' 'answer 0.1' 'answer 4' '' run \
	'run --cta-virtual vt' 'goto 5000' '' 'answer 8' 'answer 24' "answer $((128 / 4))" '' continue '' 'answer 100' "answer $swaps" '' | learn virtual_threads
said "virtual threads" "Not registers." "Right: CTAs." "The run has not ended yet" "Not 2: that is too high" "Right: 0.28." "Below 1 means slower" \
	"Noted: 4 times." "no virtual threads" "Done." "Those have slots" "Those are without slots" "Right: 32 CTAs." "Done. You expected 4.0" \
	"Not 100 swaps: that is too low" "Right: 12,594 swaps."
done_is virtual_threads

# --- 10: the first request comes after 60 us at 700 MHz
printf '%s\n' '' 'break preempt-request' continue '' 'answer 1' "answer $((60 * 700))" '' 'answer drain' 'answer switch' 'answer flush' '' \
	delete continue '' 'answer 1' 'answer 2' '' 'goto 43000' 'set preempt chimera' undo 'goto 41999' 'set preempt switch' undo 'set preempt chimera' \
	'' continue '' | learn preemption
said "preemption" "Right: 42,000." "Draining is the slowest here" "Right: flush." "2 of 3 deadlines missed" "Done." "So many were met." \
	"Right: 2 deadlines." "has been made already" "Done. No deadline was missed, with 2 before"
done_is preemption

# --- moving about, and what is refused
printf '%s\n' 'answer 1' hint 'lesson back' 'lesson next' 'lesson next' 'answer 5' hint hint hint 'lesson b' lesson '' 'lesson s' 'answer' 'answer many' \
	'answer 5 %' 'answer 5 lines' 'answer 1e400' 'answer nan' 'lesson nonsense' 'lesson cu' 'file vecadd --size small' 'answer 5' \
	'lesson restart' '' 'file vecadd --size small' 'info warps' 'lesson restart' '' 'lesson skip' 'lesson skip' 'lesson skip' 'lesson skip' 'lesson occupanci' 'lesson 99' 'lesson off' lesson 'answer 1' \
	hint 'lesson skip' | learn occupancy
grep '^error' "$tmp/said" >"$tmp/errors"
cp "$tmp/said" "$tmp/all"
cp "$tmp/errors" "$tmp/said"
said "what is refused" "no question in this step; Enter goes on" "nothing to find in this step; Enter goes on" "this is the first step" \
	"this step is not done: goto 500" "It asks you to do something: goto 500" "an answer is expected" "'many' is no number" \
	"not a percentage" "'lines' is left over behind the number; the unit is CTAs" "'1e400' is no number" "'nan' is no number" \
	"no lesson 'nonsense'; there are: coalescing" "no lesson 'cu'" "the lesson's program is not open" "did you mean 'occupancy'?" "no lesson '99'" \
	"lesson: there is no lesson" "answer: there is no lesson" "hint: there is no lesson"
cp "$tmp/all" "$tmp/said"
said "another program" "This is not the lesson's program"
said "skipped" "step 3 of 8" "The answer is 5 CTAs." "The answer is registers." "The answer is 83.33 %."
expect 2 "no lesson 'coalesing' (did you mean 'coalescing'?)" learn coalesing
expect 2 "$tmp/none.lua: No such file" learn "$tmp/none.lua"
expect 2 "does not belong to \`warpdbg learn\`" learn coalescing --gpu v100
expect 0 'Lesson 1, some 10 minutes' learn coalescing --batch -ex lesson

# --- steps that were passed over do not count; a damaged file, or none, is no error
rm -f "$HOME"/warpdbg_lessons
{ echo; echo continue; yes 'lesson skip' | head -20; } | learn coalescing
said "passed over" "The answer is 1 transaction." "Steps were passed over, so it does not count as done."
check "and is not on the list" sh -c "! '$W' learn | grep -q 'min  done'"
head -c 5000 /dev/urandom >"$HOME/warpdbg_lessons"
printf 'occupancy' >>"$HOME/warpdbg_lessons"
check "a damaged file" sh -c "'$W' learn | grep -q '1  coalescing'"
printf '%s\n' '' continue '' 'answer 1' '' 'answer 32' '' 'answer 2' '' 'answer 20000' '' 'run --param tiled=1' '' 'answer 1' | learn 1
done_is coalescing
XDG_STATE_HOME=/nonexistent HOME=/nonexistent
printf '%s\n' '' continue '' 'answer 1' '' 'answer 32' '' 'answer 2' '' 'answer 20000' '' 'run --param tiled=1' '' 'answer 1' | learn 1
said "no place for it" "the lesson is done" "(That cannot be kept"
export HOME="$tmp/home" XDG_STATE_HOME="$tmp/home"

# --- lessons that are wrong: file, step and field are named
lesson() { # lesson NAME PATTERN TEXT: of the table's inside
	printf 'return {%s}\n' "$3" >"$tmp/bad.lua"
	expect 2 "$tmp/bad.lua: the lesson $2" learn "$tmp/bad.lua"
}
head='title = "t", minutes = 1, program = "vecadd --size small"'
lesson title "has no 'title', a string" ''
lesson minutes "has no 'minutes', a number" 'title = "t"'
lesson minutes "has a 'minutes' of 1.5; a whole number" 'title = "t", minutes = 1.5'
lesson program "has no 'program', a string" 'title = "t", minutes = 1, steps = {}'
lesson steps "has no 'steps'" "$head"
lesson steps "has no 'steps'" "$head, steps = {}"
lesson field "has a field 'step'; there are: number title" "$head, step = {}"
lesson step "step 1 is a string" "$head, steps = {\"x\"}"
lesson text "step 2 has no 'text'" "$head, steps = {{text = \"a\"}, {}}"
lesson task "step 1 has no 'task'" "$head, steps = {{text = \"a\", wait = print}}"
lesson task "step 1 has a 'task' of 40 characters" "$head, steps = {{text = \"a\", wait = print, task = (\"x\"):rep(40)}}"
lesson wait "step 1 has a 'wait' that is no function" "$head, steps = {{text = \"a\", wait = 1}}"
lesson two "step 1 has both 'wait' and 'number'" "$head, steps = {{text = \"a\", wait = print, number = print, task = \"t\"}}"
lesson right "step 1 has a 'choice' without 'right'" "$head, steps = {{text = \"a\", choice = {\"a\", \"b\"}, task = \"t\"}}"
lesson within "step 1 has a 'within', which means nothing" "$head, steps = {{text = \"a\", within = 1}}"
lesson hints "step 1 has a 'hints' with a number in it" "$head, steps = {{text = \"a\", task = \"t\", wait = print, hints = {\"a\", 1}}}"
lesson after "step 1 has an 'after' that is neither" "$head, steps = {{text = \"a\", after = 1}}"
printf 'return 5\n' >"$tmp/bad.lua"
expect 2 "returns a number; a table is expected" learn "$tmp/bad.lua"
printf 'return {\n' >"$tmp/bad.lua"
expect 2 "$tmp/bad.lua:2:" learn "$tmp/bad.lua"
printf 'while true do end\n' >"$tmp/bad.lua"
expect 2 "used up its budget" learn "$tmp/bad.lua"
printf 'return {%s, steps = {{text = "a"}}}\n' 'title = "t", minutes = 1, program = "nothing"' >"$tmp/bad.lua"
expect 2 "no workload 'nothing'" learn "$tmp/bad.lua"
printf 'return {%s, setup = {"nonsense 1"}, steps = {{text = "a"}}}\n' "$head" >"$tmp/bad.lua"
expect 0 "$tmp/bad.lua: 'setup': 'nonsense 1': unknown command" learn "$tmp/bad.lua"

# functions that fail, do not end or return what they must not: said once, and the step can be passed over
cat >"$tmp/mine.lua" <<'END'
return {title = "Mine", minutes = 1, program = "vecadd --size small", steps = {
	{text = "a", task = "a", wait = function() return gpu.cycle + nothing end},
	{text = "b", task = "b", wait = function() while true do end end},
	{text = "c", task = "c", wait = function() dbg.step() end},
	{text = "d", task = "d", number = function() return "five" end},
	{text = "e", task = "e", choice = {"a", "b"}, right = function() return "c" end},
	{text = "f", task = "f", number = function() return 5 end, wrong = function() error("no words") end},
	{text = "g", task = "g", word = function() return {"LRR", "loose"} end, setup = {"nothing"}},
	{text = "h", task = "h", predict = function() end, after = function() return 5 + {} end},
}}
END
printf '%s\n' 'info warps' 'info warps' 'lesson skip' 'info warps' 'lesson skip' 'info warps' 'lesson skip' 'answer 5' 'lesson skip' 'answer a' \
	'lesson skip' 'answer 6' 'answer 5' '' 'answer gto' 'answer  lrr' '' 'answer 1' | learn "$tmp/mine.lua"
said "lessons that fail" "step 1, 'wait': $tmp/mine.lua:2: attempt to perform arithmetic" "step 2 of 8" "used up its budget" "step 3 of 8" \
	"dbg.step: " "step 4 of 8" "'number' returns a string; a finite number" "step 5 of 8" "'right' returns 'c', which is none" "step 6 of 8" \
	"no words" "Right: 5." "step 7, 'setup': 'nothing': unknown command" "Not gto." "Right: LRR." "step 8, 'after': $tmp/mine.lua:9:" "lesson is over"
check "said once" test "$(grep -c "step 1, 'wait'" "$tmp/said")" -eq 1

# --- the example of the document, from a command file
sed -n '/^```lua$/,/^```$/p' scripts/lessons/README.md | sed '1d;$d' >"$tmp/hit_rate.lua"
rate=$("$W" debug hotspot --size small --set num_sms=4 --batch -ex 'whatif warp-sched=gto from 0' | awk '/as it is/ { print 100 * $7 }')
printf '%s\n' continue 'lesson next' 'answer 0.151' "answer $rate" 'lesson next' 'run --warp-sched lrr' 'run --warp-sched paws' >"$tmp/lines"
timeout 100 "$W" learn "$tmp/hit_rate.lua" --batch -x "$tmp/lines" >"$tmp/said" 2>&1 || echo "not ok the example: $(tail -1 "$tmp/said")"
said "the document's example" "Done." "That is the share" "Right: 15.1" "No higher than before" "Done." "the lesson is done"

# --- lessons of one's own: found by name, and a program beside the file
mkdir -p "$HOME/.warpdbg/lessons"
cp "$tmp/mine.lua" "$HOME/.warpdbg/lessons/mine.lua"
expect 0 'mine' learn
cp $programs/chain.lua "$tmp/mychain.lua"
cp $programs/lessons.ptx "$tmp"
printf 'return {title = "Beside", minutes = 1, program = "mychain.lua --size small", steps = {{text = "a"}}}\n' >"$tmp/beside.lua"
expect 0 '--- Beside, step 1 of 1 ---' learn "$tmp/beside.lua" --batch -ex lesson

# --- a session that is saved in a lesson opens the lesson's program again
printf '%s\n' 'goto 700' "save session $tmp/session" | learn latency_hiding
expect 0 '700 4' debug "$tmp/session" --batch -ex 'lua print(gpu.cycle .. " " .. gpu.conf["num_sms"])'
printf '%s\n' 'lesson thrashing' "save session $tmp/session" | learn virtual_threads
expect 0 'kmeans on gtx480' debug "$tmp/session" --batch -ex file

# --- lessons follow each other on machines of their own
printf '%s\n' 'break cycle 10' 'lesson latency_hiding' 'print gpu.conf["preempt"]' 'info breakpoints' continue | learn preemption
said "another lesson" "Preemption, step 1" "Latency hiding, step 1" "none" "check passed"
exit 0
