#!/bin/sh
# A periodic real-time task (concurrent/realtime): alone it is in time; beside CTAs that run longer than its limit it
# misses deadlines where SMs cannot be taken or are drained, and none where CTAs are switched, flushed or chosen from.
. "$(dirname "$0")/cli_rig.sh"

expect 0 "realtime: 0 of 3 deadlines missed; jobs in time waited up to 0." run concurrent/realtime --size small
task=concurrent/realtime:period_us=30,run_us=5,first_us=20,jobs=2,limit_us=12
missed() { # missed PREEMPT: deadlines
	"$W" run concurrent/pair --size small --param a=$task --param b=cp:points=128,atoms=250 --partition spatial \
		--preempt "$1" --set launch.latency=0 | sed -n 's/^realtime: \([0-9]*\) of 2 .*/\1/p'
}
for how in none drain; do
	n=$(missed $how)
	check "$how misses: $n" test "$n" -eq 2
done
for how in switch flush chimera; do
	n=$(missed $how)
	check "$how misses: $n" test "$n" -eq 0
done
expect 0 "not before cycle 14000" debug concurrent/realtime --size small --batch -ex 'step 100' -ex 'info kernels'
expect 0 "same hash" debug concurrent/realtime --size small --batch -ex 'until gpu.cycle >= 30000' -ex 'lua h = gpu.hash' \
	-ex 'goto 9000' -ex 'goto 30000' -ex 'lua print(gpu.hash == h and "same hash" or "another")'
for us in -1 '"soon"' 1e9 0/0; do
	cat >"$tmp/bad.lua" <<-EOF
		return { run = function(cuda)
			local m = cuda.module("realtime.ptx")
			cuda.launch(m.job, 1, 32, { cuda.malloc(8), 1, 1 }, { start_us = $us })
		end }
	EOF
	expect 2 "launch option start_us: microseconds from 0 to 10000000 expected" run "$tmp/bad.lua"
done

# What they have measured themselves is in the JSON: the jobs' waits, and the work of each program at each look, which in
# the end is all that was executed and not made void. Seen by a paper, which has the programs run beside one another.
cat >"$tmp/figure.lua" <<-'EOF'
	return { run = function(cuda)
		dbg.figure("a", 1)
		dbg.figure("a", 2.5)
		dbg.figure("b", {})
		dbg.figure("c", { 1, 0 / 0, 3 })
		print(pcall(dbg.figure, "d e", 1))
		print(pcall(dbg.figure, "d", { 1, "x" }))
		print(pcall(dbg.figure, "d", "x"))
		for i = 1, 1000 do
			ok, why = pcall(dbg.figure, "n" .. i, i)
		end
		print(why)
	end }
EOF
cat >"$tmp/p.lua" <<-EOF
	local shared = { workload = "cp", size = "small", partition = "spatial", preempt = "flush", beside = {
		{ workload = "concurrent/realtime", size = "small", params = { first_us = 5 } },
		{ workload = "concurrent/watch", size = "small" } } }
	local own = { workload = "$tmp/figure.lua" }
	local function rows_of(r, o)
		local f, dropped, done, looks = r.figures, 0, 0, true
		for _, k in ipairs(r.kernels) do
			dropped = dropped + k.insts_dropped
			done = done + (k.program == "cp" and k.warp_insts - k.insts_dropped or 0)
		end
		for i, us in ipairs(f.watch_us) do
			looks = looks and us == 10 * i
		end
		return {
			{ "jobs " .. table.concat(f.released_us, " "), #f.waited_us },
			{ "looks " .. tostring(looks), #f.watch_us - r.sim_time_us // 10 },
			{ "flushed " .. tostring(dropped > 0), 0 },
			{ "work", f.work_0[#f.work_0] - done },
			{ "figures " .. table.concat({ o.a, #o.b, #o.c, o.c[1], tostring(o.c[2]), o.c[3] }, " ") .. tostring(o.d), 0 },
		}
	end
	return { figures = { {
		name = "f", title = "t",
		runs = function() return { shared, own } end,
		table = function(result)
			return { columns = { "what", { name = "n", digits = 0 } }, rows = rows_of(result(shared), result(own).figures) }
		end,
	} } }
EOF
expect 0 "2 done" paper "$tmp/p.lua" --out "$tmp/r"
for row in "jobs 5.0 65.0 125.0,3" "looks true,0" "flushed true,0" "work,0" "figures 2.5 0 3 1.0 nil 3.0nil,0"; do
	check "$row" grep -Eq "^\"?$row(\.0)?\"?$" "$tmp/r/f.csv"
done
for said in "letters, digits and _, at most 63" "value 2 of the list is string, not a number" "number expected, got string" \
	"1000 figures are all that a run has"; do
	expect 0 "$said" run "$tmp/figure.lua"
done

# The ten minutes of README.md, with what is said there.
walk() { # walk COMMAND...
	"$W" debug blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt drain \
		--dynamic-idempotence --batch "$@" >"$tmp/walk"
}
walk -ex 'break preempt-done if e.latency_us > 15' -ex c -ex 'info preemptions' -ex 'goto 41999' -ex 'tbreak preempt-plan sm=3' \
	-ex c -ex 'goto 41999' -ex 'set preempt chimera' -ex 'tbreak deadline-met' -ex c -ex 'info preemptions' -ex delete -ex c \
	-ex 'goto 41999' -ex 'set preempt drain' -ex c
for said in "preempt-done: SM 3, .*latency_us 16, .*technique drain" "request 1, cycle 42000: .*7 SMs within 15.00 us, by drain" \
	" 3  drain       all       20.93      9574       15.90" "switch 8.31 us, 12280 lost; flush 0.00 us, 4882 lost" \
	"preempt-plan: SM 3" "deadline-met: .*latency_us 4, within_us 15, sms 7" "mixed       all .* 1[6-9][0-9][0-9]$" \
	"0 of 3 deadlines missed" "2 of 3 deadlines missed"; do
	check "the walk: $said" grep -q -- "$said" "$tmp/walk"
done
