# What the tests of the command line share; sourced by them, with $0 theirs. Leaves the shell in the top directory.
set -u
cd "$(dirname "$0")/../.." || exit 2
W=$PWD/${WARPDBG:-warpdbg}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR
export LC_ALL=C

# expect STATUS PATTERN ARGUMENTS...: exit status and a fixed text within standard output and error together.
expect() {
	want=$1 pattern=$2
	shift 2
	timeout 120 "$W" "$@" >"$tmp/out" 2>&1 </dev/null
	got=$?
	if [ $got -eq "$want" ] && grep -qF -- "$pattern" "$tmp/out"; then
		echo "ok $*"
	else
		echo "not ok $*: exit $got, wanted $want and '$pattern'; got: $(head -3 "$tmp/out" | tr '\n' '|')"
	fi
}
check() { # check NAME COMMAND...
	name=$1
	shift
	if "$@" >"$tmp/out" 2>&1; then echo "ok $name"; else echo "not ok $name: $(head -3 "$tmp/out" | tr '\n' '|')"; fi
}
