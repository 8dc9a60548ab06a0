#!/bin/sh
# A periodic real-time task (concurrent/realtime): alone it is in time; beside CTAs that run longer than its limit it
# misses deadlines where SMs cannot be taken or are drained, and none where CTAs are switched, flushed or chosen from.
. "$(dirname "$0")/../rig/cli_rig.sh"

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
	local function with_task(workload, size, params, how)
		return { workload = workload, size = size, params = params, partition = "spatial", preempt = how, beside = {
			{ workload = "concurrent/realtime", size = "small", params = { first_us = 20, period_us = 30, run_us = 5, jobs = 6,
				limit_us = 14 } },
			{ workload = "concurrent/watch", size = "small", params = { every_us = 10 } } } }
	end
	local some_missed, none_missed = with_task("lps", "default", nil, "drain"), with_task("cp", "small", { points = 128, atoms = 250 }, "flush")
	-- By watch: what was done from release to release, of jobs in time, while the program ran.
	local function effective(r)
		local f, work, cycles = r.figures, 0, 0
		for job = 1, 6 do
			local from, to = f.work_0[3 * job - 1], f.work_0[3 * job + 2]
			if f.waited_us[job] >= 0 and to and to < f.work_0[#f.work_0] then
				work, cycles = work + to - from, cycles + 30 * 700
			end
		end
		return work / cycles
	end
	local function requests(r)
		local p, k = r.programs[1], { met = 0, missed = 0, dropped = 0 }
		for _, of in ipairs(r.kernels) do
			if of.program == p.name then
				k.met, k.missed = k.met + of.deadlines_met, k.missed + of.deadlines_missed
				k.dropped = k.dropped + of.insts_dropped
			end
		end
		return k.met == p.deadlines_met and k.missed == p.deadlines_missed and k.dropped == p.insts_dropped and
			math.abs(p.effective_ipc * (p["end"] - p.begin) + p.insts_dropped - p.warp_insts) < 1e-6 * p.warp_insts
	end
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
		runs = function() return { shared, own, some_missed, none_missed } end,
		table = function(result)
			local rows = rows_of(result(shared), result(own).figures)
			for i, run in ipairs({ some_missed, none_missed }) do
				local r, jobs = result(run), { 0, 0 }
				for _, us in ipairs(r.figures.waited_us) do
					jobs[us < 0 and 1 or 2] = jobs[us < 0 and 1 or 2] + 1
				end
				rows[#rows + 1] = { "in time " .. i .. " " .. tostring(jobs[1] > 0) .. " " .. tostring(jobs[2] > 0), 0 }
				rows[#rows + 1] = { "effective " .. i, 1e9 * (r.figures.effective_ipc - effective(r)) // 1 }
				rows[#rows + 1] = { "requests " .. i .. " " .. tostring(requests(r)), r.programs[1].deadlines_missed }
				rows[#rows + 1] = { "dropped " .. i .. " " .. tostring(r.programs[1].insts_dropped > 0), r.programs[1].deadlines_met }
			end
			return { columns = { "what", { name = "n", digits = 0 } }, rows = rows }
		end,
	} } }
EOF
expect 0 "4 done" paper "$tmp/p.lua" --out "$tmp/r"
for row in "jobs 5.0 65.0 125.0,3" "looks true,0" "flushed true,0" "work,0" "figures 2.5 0 3 1.0 nil 3.0nil,0" \
	"in time 1 true true,0" "effective 1,0" "requests 1 true,1" "dropped 1 false,0" "in time 2 false true,0" "effective 2,0" \
	"requests 2 true,0" "dropped 2 true,1"; do
	check "$row" grep -Eq "^\"?$row(\.0)?\"?$" "$tmp/r/f.csv"
done
for said in "letters, digits and _, at most 63" "value 2 of the list is string, not a number" "number expected, got string" \
	"1000 figures are all that a run has"; do
	expect 0 "$said" run "$tmp/figure.lua"
done

# What a kernel has dropped is known at once, and what its saved CTAs have done stays counted.
cat >"$tmp/sums.lua" <<-'EOF'
	local dropped, most, wrong = 0, 0, 0
	dbg.on("cta-drop", function(e) dropped = dropped + e.insts end)
	dbg.sample(500, function()
		local d, done, issued = 0, 0, 0
		for k = 0, gpu.num_kernels - 1 do
			d, done = d + gpu.kernel[k].insts_dropped, done + gpu.kernel[k].warp_insts
			most = math.max(most, #gpu.kernel[k].saved)
		end
		for sm = 0, gpu.num_sms - 1 do
			issued = issued + gpu.sm[sm].issued
		end
		wrong = wrong + ((d ~= dropped or done ~= issued) and 1 or 0)
	end)
	dbg.at_end(function()
		print(wrong .. " wrong, dropped: " .. tostring(dropped > 0) .. ", saved: " .. tostring(most > 0))
	end)
EOF
for how in "switch false" "flush true"; do
	expect 0 "0 wrong, dropped: ${how#* }, saved: true" run cp --size small --param points=512 --param atoms=40 \
		$(echo $task | tr ':,' '  ' | sed 's/ / --param /g') --partition spatial --preempt ${how% *} --script "$tmp/sums.lua"
done

# Said once a run, however often it runs, goes back or begins again.
beside="cp --size small --param points=128 --param atoms=250 concurrent/realtime $(echo $task | sed 's/^[^:]*://; s/^/--param /; s/,/ --param /g')"
"$W" debug $beside --partition spatial --preempt flush --batch -ex continue -ex run -ex 'goto 30000' -ex continue >"$tmp/said" 2>&1
check "said at each end" [ "$(grep -c 'effective IPC is 3' "$tmp/said")" -eq 3 ]
check "finished as often" [ "$(grep -c 'has finished' "$tmp/said")" -eq 3 ]
"$W" run $beside --partition spatial --preempt flush --again >"$tmp/said" 2>&1
check "begun again, said once" [ "$(grep -c 'effective IPC is 3' "$tmp/said")" -eq 1 ]
expect 0 "check passed" run --size small cp --param points=128 --param atoms=900 concurrent/realtime --param period_us=1 \
	--param run_us=1 --param first_us=0 --param jobs=1 --param limit_us=0 --param ctas=1 --partition spatial --again
check "begun again hundreds of times" [ "$(grep -c '^realtime: ' "$tmp/out")" -gt 400 ]

# The ten minutes of README.md, with what is said there.
walk() { # walk COMMAND...
	"$W" debug blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt drain \
		--dynamic-idempotence --batch "$@" >"$tmp/walk"
}
walk -ex 'break preempt-done if e.latency_us > 15' -ex c -ex 'info preemptions' -ex 'goto 41999' -ex 'tbreak preempt-plan sm=0' \
	-ex c -ex 'goto 41999' -ex 'set preempt chimera' -ex 'tbreak deadline-met' -ex c -ex 'info preemptions' -ex delete -ex c \
	-ex 'goto 41999' -ex 'set preempt drain' -ex c
for said in "preempt-done: SM 0, .*latency_us 16, .*technique drain" "request 1, cycle 42000: .*7 SMs .*within 15.00 us, by drain" \
	" 0  drain       all       20.91      9375       15.50      5223" "switch 8.31 us, 12280 lost; flush 0.00 us, 4865 lost" \
	"preempt-plan: SM 0" "deadline-met: .*latency_us 3, within_us 15, sms 7" "mixed       all .* 1[5-8][0-9][0-9]$" \
	"0 of 3 deadlines missed" "2 of 3 deadlines missed"; do
	check "the walk: $said" grep -q -- "$said" "$tmp/walk"
done

# What a trace has of it: requests and deadlines beside the kernels, and on the SMs what was taken and when it was free.
"$W" run blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt drain \
	--trace "$tmp/t.json" >/dev/null
marks() { # marks NAME PROCESS: how many; 0 has the kernels, the SMs follow
	grep -c "\"name\":\"$1\",\"pid\":$2," "$tmp/t.json"
}
check "requests on the trace" test "$(marks preempt-request 0) $(marks deadline-met 0) $(marks deadline-miss 0)" = "3 1 2"
check "shares on the trace" test "$(marks repartition 0)" -ge 6
check "SM 0 on the trace" test "$(marks preempt-start 1)" -ge 1 -a "$(marks preempt-start 1)" -eq "$(marks preempt-done 1)"
check "its latency on the trace" grep -q '"name":"preempt-done","pid":1,.*"cycle":52853,.*"latency_us":16,' "$tmp/t.json"
