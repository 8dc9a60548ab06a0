# Slips in the PTX of bundled workloads: what tests of their checks share. Sourced after cli_rig.sh.

# slipped WORKLOAD SED [OPTIONS...]: runs the workload with its PTX changed by SED; output in $tmp/out, exit status in
# $got, both with the output's first line only in $tmp/first. WORKLOAD/KERNELS names PTX that is not called as the workload.
slipped() {
	workload=$1 change=$2
	shift 2
	kernels=${workload##*/} lua=scripts/workloads/$workload.lua
	[ -f "$lua" ] || lua=scripts/workloads/${workload%/*}.lua
	sed "$change" "configs/kernels/$kernels.ptx" >"$tmp/slipped.ptx"
	sed "s/\"$kernels\.ptx\"/\"slipped.ptx\"/" "$lua" >"$tmp/slipped.lua"
	timeout 120 "$W" run "$tmp/slipped.lua" --size small --max-cycles 5000000 "$@" >"$tmp/out" 2>&1 </dev/null
	got=$?
	echo "$got $(head -1 "$tmp/out")" >"$tmp/first"
}

# The check fails, or the slip leads beyond a buffer.
noticed() {
	slipped "$@"
	if cmp -s "configs/kernels/${1##*/}.ptx" "$tmp/slipped.ptx"; then
		echo "not ok $1: '$2' changes nothing"
	elif grep -q '^1 .*CHECK FAILED\|^3 .*out of bounds' "$tmp/first"; then
		echo "ok $*"
	else
		echo "not ok $*: exit $got; $(head -3 "$tmp/out" | tr '\n' '|')"
	fi
}

# nth WORKLOAD TEXT N SED: SED for the N-th line of the workload's PTX that has TEXT.
nth() {
	awk -v text="$2" -v n="$3" -v what="$4" 'index($0, text) && ++found == n { print NR what; exit }' \
		"configs/kernels/${1##*/}.ptx"
}
