#!/bin/sh
# scripts/inspect: every inspection, headless and in the debugger: its sums are the run's counters, what is simulated stays the same,
# and nothing is counted twice by going back in time, sourcing again or `run`.
set -u
cd "$(dirname "$0")/../.." || exit 2
W=$PWD/${WARPDBG:-warpdbg}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
all="line_costs l1_thrash never_issued cta_lifetimes longest_waits line_stalls occupancy starvation divergence hot_lines cta_progress"
hotspot="hotspot --size small"
bfs="bfs --size small --param n=1500" # 42,000 cycles, and a quarter of the work of 6000 nodes

ok() { # ok NAME CONDITION...: a test of test(1)
	name=$1
	shift
	if [ "$@" ]; then echo "ok $name"; else echo "not ok $name: $*"; fi
}
has() { # has NAME FILE TEXT
	if grep -qF -- "$3" "$2"; then echo "ok $1"; else echo "not ok $1: no '$3' in: $(head -5 "$2" | tr '\n' '|')"; fi
}
# A counter of a group, summed over the machine: counter GROUP NAME, from $tmp/stats.json.
counter() {
	sed -n '/^ "'"$1"'": {/,/^ }/s/^  "'"$2"'": \([0-9.]*\),*$/\1/p' "$tmp/stats.json"
}
# Field N (words from 1) of the report's "total:" line, punctuation removed.
total() {
	sed -n '/^total:/{s/[,;]//g;p;q;}' "$1" | awk -v n="$2" '{ print $n }'
}
# The last report alone, without its first line, which has the cycle.
report() {
	awk '/^--- / { out = ""; on = 1; next } /^(hotspot|bfs) on |^\(wd\)|^hash / { on = 0 } on && NF { out = out $0 "\n" }
		END { printf "%s", out }' "$1"
}
hash_of() {
	sed -n 's/^hash \(.*\)/\1/p' "$1"
}

# --- headless: the run's figures with and without the script are the same, and so is the hash
for w in hotspot bfs; do
	eval "program=\$$w"
	echo 'dbg.at_end(function() print("hash " .. gpu.hash) end)' >"$tmp/hash.lua"
	"$W" run $program --script "$tmp/hash.lua" --stats "$tmp/stats.json" >"$tmp/none" 2>&1
	sed '/^ "host": {/,$d' "$tmp/stats.json" >"$tmp/plain.json"
	ok "$w: a hash" -n "$(hash_of "$tmp/none")"
	for x in $all; do
		{
			echo "require 'inspect.$x'"
			cat "$tmp/hash.lua"
		} >"$tmp/x.lua"
		"$W" run $program --script "$tmp/x.lua" --stats "$tmp/x.json" >"$tmp/$w.$x" 2>&1
		ok "$w $x: exit status" $? -eq 0
		ok "$w $x: hash unchanged" "$(hash_of "$tmp/none")" = "$(hash_of "$tmp/$w.$x")"
		sed '/^ "figures": {/,/^ },/d; /^ "host": {/,$d' "$tmp/x.json" | cmp -s - "$tmp/plain.json"
		ok "$w $x: the machine's figures unchanged" $? -eq 0
		has "$w $x: a report" "$tmp/$w.$x" "--- $x, cycle $(sed -n 's/^ "cycles": \([0-9]*\),/\1/p' "$tmp/stats.json") ---"
		"$W" run $program --script scripts/inspect/$x.lua >"$tmp/again" 2>&1
		report "$tmp/again" >"$tmp/a"
		report "$tmp/$w.$x" >"$tmp/b"
		cmp -s "$tmp/a" "$tmp/b"
		ok "$w $x: the same twice" $? -eq 0
	done

	# --- sums against counters
	f=$tmp/$w
	ok "$w hot_lines: instructions" "$(total "$f.hot_lines" 2)" = "$(counter sm issued)"
	ok "$w hot_lines: issue slots" "$(total "$f.hot_lines" 5)" = "$(counter sm issue_slots)"
	ok "$w divergence: branches" "$(total "$f.divergence" 2)" = "$(counter sm branches)"
	ok "$w divergence: splits" "$(total "$f.divergence" 4)" = "$(counter sm divergent)"
	ok "$w divergence: idle lanes" "$(total "$f.divergence" 6)" -eq \
		$((32 * $(counter sm issued) - $(counter sm thread_insts)))
	ok "$w divergence: lost lanes are idle ones" "$(total "$f.divergence" 15)" -le "$(total "$f.divergence" 6)"
	ok "$w l1_thrash: evictions" "$(total "$f.l1_thrash" 2)" = "$(counter l1d evictions)"
	ok "$w cta_lifetimes: CTAs" "$(sed -n 's/.*: \([0-9]*\) CTAs done.*/\1/p' "$f.cta_lifetimes" | awk '{ n += $1 } END { print n }')" \
		= "$(counter sm ctas_done)"
	ok "$w cta_lifetimes: histograms" "$(awk '/ \.\. /{ n += $4 } END { print n }' "$f.cta_lifetimes")" = "$(counter sm ctas_done)"
	ok "$w line_stalls: warps seen x period within 5 % of the warp cycles" "$(total "$f.line_stalls" 8)" -gt 0
	awk -v n="$(total "$f.line_stalls" 8)" -v all="$(counter sm occupancy)" 'BEGIN { r = 64 * n / all; exit !(r > 0.95 && r < 1.05) }'
	ok "$w line_stalls: an estimate of warp cycles" $? -eq 0
	awk '/^hotspot |^bfs_/ { d += $2; i += $3; n += $4 } END { exit !(d > 0 && d == i && n == 0) }' "$f.never_issued"
	ok "$w never_issued: all have issued" $? -eq 0
	ok "$w longest_waits: some" "$(total "$f.longest_waits" 2)" -gt 0
	ok "$w longest_waits: within the warp cycles" "$(total "$f.longest_waits" 6)" -lt "$(counter sm occupancy)"
	head=$(sed -n '/^longest:/{n;n;p;}' "$f.longest_waits" | awk '{ print $1 }')
	most=$(awk '/^longest:/{ exit } /\.ptx:/ { n = $2 ~ /\.cu:/ ? $6 : $5; m = n > m ? n : m } END { print m }' "$f.longest_waits")
	ok "$w longest_waits: the longest is a line's longest" "$head" = "$most"
	# the limit it explains is the one the simulator uses
	sim=$(sed -n 's/.*"ctas_per_sm": \([0-9]*\).*/\1/p' "$tmp/stats.json" | head -1)
	ok "$w occupancy: the limiting row" "$(awk '/ limit( |$)/ && !/limit too/ { print $0; exit }' "$f.occupancy" | grep -cE " $sim +limit")" -eq 1
done
has "divergence: bfs splits" "$tmp/bfs.divergence" "bfs_expand"
has "line_stalls: PTX lines" "$tmp/hotspot.line_stalls" "hotspot.ptx:"
has "l1_thrash: allocations" "$tmp/bfs.l1_thrash" "visited"

"$W" run bfs --size small --inspect starvation >"$tmp/starved" 2>&1 # more nodes: some warp waits long
ok "starvation: the longest comes first" "$(awk '/^ *cycles/ { getline; print $1; exit }' "$tmp/starved")" = \
	"$(sed -n 's/.*longest between two instructions: //p' "$tmp/starved")"
ok "l1_thrash: all evictions are somebody's" "$(awk '/^pairs/ { exit } /^bfs/ { n += $3 } END { print n }' "$tmp/bfs.l1_thrash")" = \
	"$(total "$tmp/bfs.l1_thrash" 2)"

# --- what lcs goes by: the same sum at the same CTA
"$W" debug lps --size small --set num_sms=1 --cta-sched lcs --batch -ex 'break lcs-throttle' -ex continue >"$tmp/lcs" 2>&1
"$W" run lps --size small --set num_sms=1 --script scripts/inspect/cta_progress.lua --stats "$tmp/progress.json" --format json >"$tmp/progress" 2>&1
ok "cta_progress: as lcs has it" "$(sed -n 's/.*all together \([0-9.]*\) times.*/\1/p' "$tmp/progress")" = \
	"$(sed -n 's/.*sum \([0-9]*\), max \([0-9]*\),.*/\1 \2/p' "$tmp/lcs" | awk '{ printf "%.2f", $1 / $2 }')"
ok "cta_progress: the same in the run's figures" "$(awk '/"cta_progress_0_cta_/ { inside = 1 }
	inside && /^ *[0-9]/ { last = $1 + 0 } inside && /\]/ { sum += last; max = last > max ? last : max; inside = 0 }
	END { printf "%.2f", sum / max }' "$tmp/progress.json")" = "$(sed -n 's/.*all together \([0-9.]*\) times.*/\1/p' "$tmp/progress")"

# --- CTAs that end in the same cycle, on two SMs and on one: each has its own instructions. Four CTAs, those from `short` on, execute
# fewer of them than the others, so that they end first, two on each SM. lcs counts at the cycle's beginning, the script at its end.
for short in 0 2 4 6 8; do
	{
		printf '.version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<4>; .reg .pred %%p;\n'
		awk 'BEGIN { for (i = 0; i < 300; i++) print "mov.u32 %r2, %ctaid.x;" }'
		printf 'sub.u32 %%r3, %%r2, %d; setp.lt.u32 %%p, %%r3, 4; @%%p bra END;\n' "$short"
		awk 'BEGIN { for (i = 0; i < 60; i++) print "mov.u32 %r3, %r2;" }'
		printf 'END: ret;\n}\n'
	} >"$tmp/abreast.ptx"
	set -- "$tmp/abreast.ptx" --kernel k --grid 12 --block 32 --set num_sms=2 --set l1i.perfect=true
	"$W" debug "$@" --cta-sched lcs --batch -ex 'break lcs-throttle' -ex continue >"$tmp/lcs" 2>&1
	"$W" run "$@" --script scripts/inspect/cta_progress.lua >"$tmp/progress" 2>&1
	ok "cta_progress: CTAs from $short on end first" "$({
		sed -n 's/.*all together \([0-9.]*\) times.*/\1/p' "$tmp/progress"
		sed -n 's/.*sum \([0-9]*\), max \([0-9]*\),.*/\1 \2/p' "$tmp/lcs"
	} | awk 'NR == 1 { said = $1 } NR == 2 { d = said - $1 / $2; print (d * d < 0.001 ? "as lcs" : said " for " $1 / $2) }')" = "as lcs"
done

# --- a split whose cost is known: 8 of 32 lanes of every other warp execute 6 instructions, 24 lanes wait
cat >"$tmp/split.ptx" <<'P'
.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 8;
	@%p1 bra DONE;
	add.u32 %r2, %r1, 1;
	add.u32 %r2, %r2, %r1;
	mul.lo.u32 %r2, %r2, %r1;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
DONE:
	ret;
}
P
"$W" run "$tmp/split.ptx" --kernel k --grid 5 --block 64 --arg 'u32[64]=zero' --script scripts/inspect/divergence.lua >"$tmp/out" 2>&1
has "divergence: one line's row" "$tmp/out" "split.ptx:12  k               10      5  50.0     75.0     30         720  "
# the branch itself leaves out the 8 lanes whose guard is false
ok "divergence: idle lanes of it" "$(total "$tmp/out" 6)" -eq $((720 + 5 * 8))
"$W" run "$tmp/split.ptx" --kernel k --grid 5 --block 64 --arg 'u32[64]=zero' --script scripts/inspect/hot_lines.lua >"$tmp/out" 2>&1
ok "hot_lines: of a branch's path" "$(grep -c 'split.ptx:13  k  *5  .*  8.0  add' "$tmp/out")" -eq 1

# --- in the debugger: on demand, and the same figures as headless
for x in $all; do
	"$W" debug --batch $bfs -ex "source scripts/inspect/$x.lua" -ex 'step 5000' -ex "lua $x()" -ex continue >"$tmp/d" 2>&1
	ok "debug $x: exit status" $? -eq 0
	has "debug $x: on demand" "$tmp/d" "--- $x, cycle 5000 ---"
	report "$tmp/d" >"$tmp/a"
	report "$tmp/bfs.$x" >"$tmp/b"
	ok "debug $x: there is a report" -s "$tmp/b"
	cmp -s "$tmp/a" "$tmp/b"
	ok "debug $x: the same report as headless" $? -eq 0
	# back, forward, searching back, sourced twice: nothing twice
	"$W" debug --batch $bfs -ex "source scripts/inspect/$x.lua" -ex "source scripts/inspect/$x.lua" -ex 'step 20000' \
		-ex 'goto 9000' -ex 'break cta-done' -ex 'reverse-continue' -ex 'delete' -ex 'reverse-step 3' -ex continue >"$tmp/d2" 2>&1
	ok "debug $x: travelled" $? -eq 0
	report "$tmp/d2" >"$tmp/a"
	cmp -s "$tmp/a" "$tmp/b"
	ok "debug $x: going back counts nothing twice" $? -eq 0
	"$W" debug --batch $bfs -ex "source scripts/inspect/$x.lua" -ex 'step 20000' -ex run >"$tmp/d3" 2>&1
	report "$tmp/d3" >"$tmp/a"
	cmp -s "$tmp/a" "$tmp/b"
	ok "debug $x: run starts anew" $? -eq 0
done

# --- longest_waits: the load is charged, and waits go on where CTAs lose their slots
cat >"$tmp/byhand.lua" <<'S'
require "inspect.longest_waits"
-- each warp's waits by launch, CTA and its number in the CTA, wherever that is
local from, n, cycles = {}, 0, 0
local function key(e)
	return e.kernel .. ":" .. e.cta .. ":" .. gpu.sm[e.sm].warp[e.warp].warp_in_cta
end
dbg.on("warp-stall", {state = "memory"}, function(e)
	local k = key(e)
	if not from[k] or from[k].pc ~= e.pc then
		from[k] = {pc = e.pc, cycle = e.cycle}
	end
end)
dbg.on("issue", function(e)
	local k = key(e)
	local w = from[k]
	if w and w.pc == e.pc then
		n, cycles, from[k] = n + 1, cycles + e.cycle - w.cycle, nil
	end
end)
dbg.at_end(function()
	print(string.format("total: %d waits for memory, %d warp cycles", n, cycles))
end)
S
cat >"$tmp/moved" <<'S'
step 1400
save cta 0
step 200
preempt kernel 0 sms 4 within 1 by switch
step 9000
restore cta 0
release sms
continue
S
same() { # same NAME: both totals of $tmp/out are the same
	ok "longest_waits: $1" "$(grep -c '^total: [1-9]' "$tmp/out") $(grep '^total:' "$tmp/out" | uniq | wc -l)" = "2 1"
}
"$W" run $bfs --cta-virtual vt --set sm.ctas=2 --set num_sms=2 --script "$tmp/byhand.lua" >"$tmp/out" 2>&1
same "virtual threads"
"$W" debug --batch hotspot --size small -ex "source $tmp/byhand.lua" -x "$tmp/moved" >"$tmp/out" 2>&1
same "saved and preempted CTAs"
ok "longest_waits: lines are loads or atomics" "$(awk '/^total/ { on = 1; next } !NF { on = 0 } on && /\.ptx:/ && !/ (ld|atom)\.global/ && !/ ld\.[a-z]*\.global/' "$tmp/hotspot.longest_waits" "$tmp/bfs.longest_waits" | grep -c .)" -eq 0
has "longest_waits: the load, for the store" "$tmp/hotspot.longest_waits" "hotspot.ptx:94 "
ok "longest_waits: the store is not charged" "$(grep -c '^hotspot.ptx:103 ' "$tmp/hotspot.longest_waits")" -eq 0

# --- inspect: listed, loaded when asked for, and says from where it counts
"$W" debug --batch $bfs -ex inspect >"$tmp/out" 2>&1
ok "inspect: all listed, once, without what they share" "$(for x in $all; do grep "^$x  *[a-z]" "$tmp/out"; done | wc -l) $(grep -c "^[^ ]" "$tmp/out")" = "$(echo $all | wc -w) $(echo $all | wc -w)"
for x in $all; do
	"$W" debug --batch $bfs -ex "inspect $x" -ex 'step 5000' -ex "inspect $x" -ex continue >"$tmp/d" 2>&1
	ok "inspect $x: exit status" $? -eq 0
	has "inspect $x: on demand" "$tmp/d" "--- $x, cycle 5000 ---"
	report "$tmp/d" >"$tmp/a"
	report "$tmp/bfs.$x" >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b"
	ok "inspect $x: the same report as headless" $? -eq 0
	ok "inspect $x: from the start needs no note" "$(grep -c 'counted from' "$tmp/d")" -eq 0
done
# --- on the command line, in a list, in scripts, with help and completion
"$W" list inspections >"$tmp/out" 2>&1
"$W" list inspections --format json >"$tmp/json" 2>&1
"$W" debug --batch $bfs -ex inspect 2>&1 | grep "^[a-z]" >"$tmp/listed"
"$W" debug --batch $bfs -ex 'lua for _, n in ipairs(dbg.inspect()) do print(n) end' >"$tmp/lua" 2>&1
n=$(echo $all | wc -w)
ok "list inspections: as inspect lists them" "$(grep -c . "$tmp/out") $(awk '{ print $1 }' "$tmp/out")" = "$n $(awk '{ print $1 }' "$tmp/listed")"
ok "list inspections: JSON" "$(grep -c '"name":' "$tmp/json") $(grep -c '"help":' "$tmp/json")" = "$n $n"
for x in $all; do
	"$W" debug --batch $bfs -ex "complete inspect ${x%??}" -ex "complete help inspect ${x%??}" -ex "help inspect $x" >"$tmp/out" 2>&1
	ok "inspect $x: completed" "$(sed 2q "$tmp/out" | tr '\n' ,)" = "inspect $x,help inspect $x,"
	has "help inspect $x" "$tmp/out" "inspect $x: "
	has "help inspect $x: how to begin it" "$tmp/out" "--inspect $x "
	ok "help inspect $x: its settings and columns" "$(grep -c . "$tmp/out")" -gt 6
done
ok "dbg.inspect lists" "$(cat "$tmp/lua")" = "$(awk '{ print $1 }' "$tmp/listed")"
"$W" help run >"$tmp/out" 2>&1
has "--inspect in the help" "$tmp/out" "warpdbg list inspections"
"$W" run $bfs --inspect hot_lines --inspect l1_thrash >"$tmp/out" 2>&1
ok "--inspect twice: exit status" $? -eq 0
awk '/^--- hot_lines/ { on = 1; next } /^--- l1_thrash/ { on = 0 } on && NF' "$tmp/out" >"$tmp/a"
report "$tmp/bfs.hot_lines" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
ok "--inspect twice: the first report" $? -eq 0
report "$tmp/out" >"$tmp/a"
report "$tmp/bfs.l1_thrash" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
ok "--inspect twice: the second report" $? -eq 0
printf 'HOT_LINES_TOP = 2\n' >"$tmp/s.lua"
"$W" run $bfs --script "$tmp/s.lua" --inspect hot_lines >"$tmp/out" 2>&1
ok "--inspect behind --script, which sets it" "$(grep -c '^bfs.ptx:' "$tmp/out")" -eq 2
"$W" debug --batch $bfs --inspect hot_lines -ex 'step 5000' -ex 'inspect hot_lines' -ex 'lua io_ = dbg.inspect("hot_lines")' \
	-ex 'lua print(io_)' >"$tmp/d" 2>&1
ok "debug --inspect: counts from the start" "$(grep -c 'counted from' "$tmp/d") $(grep -c '^total: [1-9]' "$tmp/d")" = "0 2"
ok "dbg.inspect: the report" "$(grep '^total' "$tmp/d" | sort -u | wc -l)" -eq 1

# --- those that cost next to nothing count from the start, unasked, and are silent
"$W" debug --batch $bfs -ex continue >"$tmp/d" 2>&1
ok "nothing unasked" "$(grep -c '^---' "$tmp/d")" -eq 0
"$W" debug --batch $bfs -ex continue -ex 'inspect cta_lifetimes' >"$tmp/d" 2>&1
report "$tmp/d" >"$tmp/a"
report "$tmp/bfs.cta_lifetimes" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
ok "cta_lifetimes asked for at the end: of the whole run" $? -eq 0
"$W" debug --batch $bfs -ex 'step 20000' -ex 'goto 9000' -ex 'step 30000' -ex 'inspect cta_lifetimes' -ex continue >"$tmp/d" 2>&1
report "$tmp/d" >"$tmp/a"
cmp -s "$tmp/a" "$tmp/b"
ok "cta_lifetimes asked for late, after going back: the same at the end" "$? $(grep -c '^--- cta_lifetimes' "$tmp/d") $(grep -c 'counted from' "$tmp/d")" = "0 2 0"
"$W" debug --batch $bfs -ex continue -ex 'inspect line_stalls' -ex 'lua local n = 0 for _, c in ipairs(dbg.waits().code) do for _, s in pairs(c.states) do n = n + s end end print("samples " .. n)' \
	>"$tmp/d" 2>&1
has "line_stalls asked for at the end: from the start" "$tmp/d" "one look every 512 cycles since the start"
ok "line_stalls asked for at the end: all samples" "$(sed -n 's/^total: .*; \([0-9]*\) warps seen$/\1/p' "$tmp/d")" = "$(sed -n 's/^samples //p' "$tmp/d")"
ok "line_stalls asked for at the end: needs no note" "$(grep -c 'counted from' "$tmp/d")" -eq 0
sum() { # sum FILE: of the samples, times what a look stands for, in thousands
	awk -v p="$2" '/^line / { on = 1; next } !NF { on = 0 } on && /\.ptx:/ { n += $2 } END { print int(n * p / 1000) }' "$1"
}
many=$(sum "$tmp/bfs.line_stalls" 64) few=$(sum "$tmp/d" 512)
ok "line_stalls: every 512 cycles as every 64, within a tenth: $few, $many" "$few" -gt $((many * 9 / 10)) -a "$few" -lt $((many * 11 / 10))

"$W" debug --batch $bfs -ex 'step 5000' -ex 'inspect hot_lines' -ex 'inspect occupancy' >"$tmp/d" 2>&1
ok "inspect: a late one says from where, one that does not listen does not" "$(grep -c 'counts from here on, cycle 5000' "$tmp/d")" -eq 1
"$W" debug --batch $bfs -ex 'step 5000' -ex 'inspect hot_lines' -ex 'step 1000' -ex 'inspect hot_lines' >"$tmp/d" 2>&1
ok "inspect: again, with what has come since, and from where" "$(grep -c 'counted from cycle 5000 on' "$tmp/d")" -eq 1
ok "inspect: no table of nothing" "$(grep -c '^line ' "$tmp/d")" -eq 1
"$W" debug --batch $bfs -ex 'step 5000' -ex 'inspect hot_lines' -ex run >"$tmp/d" 2>&1
report "$tmp/d" >"$tmp/a"
report "$tmp/bfs.hot_lines" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
ok "inspect: run counts from the start" $? -eq 0
"$W" debug --batch $bfs -ex 'inspect hot_line' >"$tmp/d" 2>&1
ok "inspect: unknown name fails" $? -eq 2
for word in hot_line nosuch; do
	"$W" run $bfs --stats "$tmp/never.json" --inspect $word >"$tmp/d" 2>&1
	ok "--inspect $word: exit status" $? -eq 2
	ok "--inspect $word: nothing is written" ! -e "$tmp/never.json"
	"$W" debug --batch $bfs -ex "lua dbg.inspect('$word')" >"$tmp/l" 2>&1
	"$W" debug --batch $bfs -ex "help inspect $word" >"$tmp/h" 2>&1
	for f in d l h; do
		case $word in
		hot_line) has "$word ($f): the nearest" "$tmp/$f" "no inspection 'hot_line' (did you mean 'hot_lines'?)" ;;
		*) has "$word ($f): all of them" "$tmp/$f" "no inspection 'nosuch'; there are: cta_lifetimes cta_progress divergence" ;;
		esac
	done
done
"$W" debug --batch $bfs -ex 'inspect hot_line' >"$tmp/d" 2>&1
has "inspect: the nearest" "$tmp/d" "no inspection 'hot_line' (did you mean 'hot_lines'?)"
"$W" debug --batch $bfs -ex 'inspect lib' >"$tmp/d" 2>&1
has "inspect: the library is none" "$tmp/d" "no inspection 'lib'"
"$W" debug --batch $bfs -ex 'inspect gpu.cycle + 41' >"$tmp/d" 2>&1
has "inspect: an expression is printed" "$tmp/d" 41


# --- CUDA lines, where the PTX names them
awk '/\.loc|\.file/ { next } /^}/ { print; next } /add.f32|ld.global/ { print "\t.loc 1 12 7" } { print } /^.address_size/ { print ".file 1 \"dir/vec.cu\"" }' \
	configs/kernels/vecadd.ptx >"$tmp/loc.ptx"
cat >"$tmp/s.lua" <<'S'
LINE_STALLS_CUDA, LINE_STALLS_PERIOD = true, 4
require "inspect.line_stalls"
require "inspect.hot_lines"
require "inspect.longest_waits"
S
"$W" run "$tmp/loc.ptx" --kernel vecadd --grid 64 --block 256 --arg 'f32[16384]=iota' --arg 'f32[16384]=1' --arg 'f32[16384]=zero' \
	--arg u32=16384 --script "$tmp/s.lua" >"$tmp/out" 2>&1
ok "CUDA lines: exit status" $? -eq 0
for what in "^vec.cu:12  *[1-9]" "^loc.ptx:[0-9]*  *vec.cu:12  *vecadd  *512 " "^loc.ptx:[0-9]*  *vec.cu:12  *512 "; do
	ok "CUDA lines: $what" "$(grep -c "$what" "$tmp/out")" -ge 1
done

# --- settings
cat >"$tmp/s.lua" <<'S'
STARVATION_CYCLES, STARVATION_BREAK = 500, true
require "inspect.starvation"
S
"$W" run $bfs --script "$tmp/s.lua" >"$tmp/out" 2>&1
has "starvation: stops a run" "$tmp/out" "has not issued since cycle"
"$W" debug --batch $bfs -ex 'lua STARVATION_CYCLES, STARVATION_BREAK = 500, true' -ex 'source scripts/inspect/starvation.lua' \
	-ex continue -ex 'p gpu.cycle' >"$tmp/out" 2>&1
has "starvation: stops the debugger" "$tmp/out" "has not issued since cycle"
ok "starvation: before the end" "$(sed -n 's/^\([0-9][0-9]*\)$/\1/p' "$tmp/out")" -lt 40000
printf 'HOT_LINES_TPO = 3\nrequire "inspect.hot_lines"\n' >"$tmp/s.lua"
"$W" run $bfs --script "$tmp/s.lua" >"$tmp/out" 2>&1
ok "a wrong setting's exit status" $? -eq 2
has "a wrong setting" "$tmp/out" "there is no setting HOT_LINES_TPO"
printf 'HOT_LINES_TOP = 0\nrequire "inspect.hot_lines"\n' >"$tmp/s.lua"
"$W" run $bfs --script "$tmp/s.lua" >"$tmp/out" 2>&1
has "a wrong value" "$tmp/out" "HOT_LINES_TOP = 0: a whole number of at least 1 is expected"
"$W" debug --batch $bfs -ex 'source scripts/inspect/hot_lines.lua' -ex 'step 20000' -ex 'goto 9000' -ex 'set warp-sched lrr' \
	-ex continue >"$tmp/out" 2>&1
has "a changed past is said" "$tmp/out" "note: the machine was changed in its past"
