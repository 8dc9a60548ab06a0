#!/bin/sh
# `save session`: `warpdbg debug FILE` comes to the same cycle and state, whatever was done to the machine before it was saved;
# what the user keeps is there; files that are damaged, old or of other state say so.
. "$(dirname "$0")/../rig/cli_rig.sh"
export HOME="$tmp"

state() { # state WORDS...: cycle and hash at the end of a batch
	timeout 120 "$W" debug "$@" -ex 'lua print("state", gpu.cycle, gpu.hash)' 2>"$tmp/err" </dev/null | sed -n 's/^state.//p'
}
saved() { # saved NAME WORDS...: saves at the end, comes back, and compares
	name=$1
	shift
	rm -f "$tmp/s.wd"
	there=$(state "$@" -ex "save session $tmp/s.wd")
	back=$(state "$tmp/s.wd" --batch)
	if [ "$there" ] && [ "$there" = "$back" ]; then echo "ok $name"; else echo "not ok $name: '$there', then '$back': $(head -3 "$tmp/err" | tr '\n' '|')"; fi
	again=$(state "$tmp/s.wd" --batch -ex "save session $tmp/again.wd")
	check "$name: saved again it is the same file ($again)" cmp "$tmp/s.wd" "$tmp/again.wd"
}

saved "a cycle" hotspot --size small --batch -ex 'goto 1234'
saved "a stop" bfs --size small --gpu v100 --set num_sms=4 --batch -ex 'break cta-done' -ex c -ex c
saved "the end" hotspot --size small --batch -ex c
saved "the beginning" hotspot --size small --batch -ex 'print gpu.cycle'
saved "changes" spmv --size small --cta-virtual vt --set num_sms=4 --batch -ex 'goto 1000' -ex 'set warp-sched lrr' -ex 'pause cta 0' \
	-ex 'goto 1700' -ex 'resume cta 0' -ex 'goto 2500'
check "changes: each at its cycle" sh -c "tr '\n' ';' <'$tmp/s.wd' | grep -q 'goto 1000;set warp-sched lrr;pause cta 0;goto 1700;resume cta 0;goto 2500;'"
saved "a change by Lua" hotspot --size small --batch -ex 'goto 900' -ex 'lua dbg.execute("pause cta 3")' -ex 'goto 1500'
saved "a change by an alias" hotspot --size small --batch -ex 'alias hold = pause cta' -ex 'goto 900' -ex 'hold 3' -ex 'goto 1500'
printf 'break cycle 800\ncommands\npause cta 2\nend\nc\ngoto 1500\n' >"$tmp/commands"
saved "a change by a breakpoint's commands" hotspot --size small --batch -ex "source $tmp/commands"
check "and it is one" grep -qx 'pause cta 2' "$tmp/s.wd"
saved "a change that was undone" hotspot --size small --batch -ex 'goto 900' -ex 'pause cta 3' -ex 'goto 1000' -ex 'pause cta 4' -ex undo -ex 'goto 1500'
check "and it is gone" sh -c "! grep -q 'pause cta 4' '$tmp/s.wd' && grep -q 'pause cta 3' '$tmp/s.wd'"
saved "another past" hotspot --size small --batch -ex 'goto 900' -ex 'pause cta 3' -ex 'goto 1500' -ex 'pause cta 4' -ex 'goto 700' \
	-ex 'pause cta 5' -ex 'goto 1600'
check "and only that" sh -c "! grep -q 'pause cta [34]' '$tmp/s.wd' && grep -q 'pause cta 5' '$tmp/s.wd'"
saved "back in time" hotspot --size small --batch -ex 'goto 900' -ex 'pause cta 3' -ex 'goto 1500' -ex 'pause cta 4' -ex 'goto 1100'
check "and nothing that came later" sh -c "! grep -q 'pause cta 4' '$tmp/s.wd'"
saved "other options" hotspot --size small --batch -ex 'goto 500' -ex 'pause cta 3' -ex 'tbreak cycle 700' -ex 'run --warp-sched lrr' -ex 'goto 1000'
check "with what built the machine" grep -qx 'file --warp-sched lrr' "$tmp/s.wd"
saved "another program" hotspot --size small --batch -ex 'file vecadd --size small' -ex 'goto 700'
saved "two programs" hotspot cp --size small --partition smk --batch -ex 'goto 5000' -ex 'preempt kernel 0 sms 2 within 100 by switch' -ex 'goto 9000'

saved "views" hotspot --size small --batch -ex 'goto 900' -ex 'view lanes key 3' -ex 'view phase key none' -ex 'view stall key _' \
	-ex 'view log' -ex 'set taxonomy elf'
expect 0 '* 0  log' debug "$tmp/s.wd" --batch -ex view
expect 0 '  3  lanes' debug "$tmp/s.wd" --batch -ex view
expect 0 '     phase' debug "$tmp/s.wd" --batch -ex view
saved "a scope" hotspot --size small --batch -ex 'goto 2000' -ex 'scope 500 900'
expect 0 'cycles 500 to 900' debug "$tmp/s.wd" --batch -ex scope
saved "a launch's scope" bfs --size small --batch -ex 'goto 20000' -ex 'scope kernel 2'
expect 0 'kernel 2' debug "$tmp/s.wd" --batch -ex scope
expect 0 'The scope is left out' debug hotspot --size small --batch -ex 'goto 2000' -ex 'scope 500 900' -ex 'goto 700' -ex "save session $tmp/o.wd"

# What the user keeps.
"$W" debug hotspot --size small --batch -ex 'goto 500' -ex 'bookmark here' -ex 'note too slow' -ex 'goto 900' -ex 'note at 100 "begins"' \
	-ex 'break cta-done sm=1 if e.cycle > 10' -ex 'display gpu.cycle' -ex 'focus sm 3 warp 2 lane 5' -ex "save session $tmp/kept.wd" >/dev/null
expect 0 'here                 cycle 500' debug "$tmp/kept.wd" --batch -ex 'info bookmarks'
expect 0 '  1  cycle 100  "begins"' debug "$tmp/kept.wd" --batch -ex 'info notes'
expect 0 '  2  cycle 500  too slow' debug "$tmp/kept.wd" --batch -ex 'info notes'
expect 0 'cta-done sm=1 if e.cycle > 10' debug "$tmp/kept.wd" --batch -ex 'info breakpoints'
expect 0 '1: gpu.cycle = 901' debug "$tmp/kept.wd" --batch -ex step
expect 0 'SM 3 warp 2' debug "$tmp/kept.wd" --batch -ex step
expect 0 'no notes' debug hotspot --size small --batch -ex 'note x' -ex 'note delete 1' -ex 'info notes'
expect 0 'goes on in cycle 900' debug "$tmp/kept.wd" --batch -ex "save session $tmp/other.wd"

# What does not fit.
echo >"$tmp/two
lines.lua"
sed 's/^pause.*//; s/goto 900/goto 899/' "$tmp/kept.wd" >"$tmp/wrong.wd"
expect 2 'cycle 900 is not in the state that was saved' debug "$tmp/wrong.wd" --batch
sed '1s/session 1/session 2/' "$tmp/kept.wd" >"$tmp/new.wd"
expect 2 'new.wd:1: this session was saved by another version' debug "$tmp/new.wd" --batch
head -1 "$tmp/kept.wd" >"$tmp/short.wd"
expect 0 'cycle 0' debug "$tmp/short.wd" --batch -ex 'info focus' # of no words: the demonstration
printf '# warpdbg session 1: x\n#: nosuch\n' >"$tmp/none.wd"
expect 2 "nosuch" debug "$tmp/none.wd" --batch
expect 2 'save session: a file is expected' debug hotspot --size small --batch -ex 'save session'
expect 2 "'b' is left over behind the file" debug hotspot --size small --batch -ex "save session $tmp/a b"
expect 2 'save session: a word of the command line has more than one line' debug hotspot --size small --script "$tmp/two
lines.lua" --batch -ex "save session $tmp/x.wd"
expect 2 '/nowhere/x.wd' debug hotspot --size small --batch -ex 'save session /nowhere/x.wd'
expect 2 'note: a text is expected' debug hotspot --size small --batch -ex note
expect 2 'there is no note 3' debug hotspot --size small --batch -ex 'note delete 3'
expect 2 'note at: a cycle and a text are expected' debug hotspot --size small --batch -ex 'note at 7'
