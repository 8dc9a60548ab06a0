#!/bin/sh
# CUDA programs compiled for AArch64: the library and the redirecting of a run time inside the program, under qemu-user. Part
# of `make test-full`, which builds both with a cross compiler; $AARCH64 says where.
. "$(dirname "$0")/../rig/cli_rig.sh"

if [ -z "${AARCH64:-}" ]; then
	echo "ok skipped: \`make test-full\` runs it"
	exit 0
fi
root=$(cd "$AARCH64" && pwd)

# emulated VARIABLE=VALUE PROGRAM CASE: the variable is the emulated program's alone
emulated() {
	variable=$1
	program=$2
	shift 2
	timeout 120 "$W" run --gpu rtx2060 -- qemu-aarch64 -L /usr/aarch64-linux-gnu -E "$variable" "$root/tests/$program" "$@" \
		</dev/null >"$tmp/said" 2>&1
}
well() { # well PROGRAM VARIABLE=VALUE CASE
	emulated "$2" "$1" "$3"
	check "$1 $3 on AArch64" grep -q "^$3: all well" "$tmp/said"
}
for case in basic rectangles streams graphs managed signals large again threads forks sticky transfers; do
	well cuda_app_static "LD_PRELOAD=$root/cudart/libwarpdbg-preload.so" $case
done
for case in basic streams managed threads; do
	well cuda_app "LD_LIBRARY_PATH=$root/cudart" $case
done
emulated "LD_PRELOAD=$root/cudart/libwarpdbg-preload.so" cuda_app_static unknown
check "a call that is not served is named" grep -q "the program calls cudaNewerThanTheLibrary, which is not served" "$tmp/said"
emulated "LD_PRELOAD=$root/cudart/libwarpdbg-preload.so" cuda_app_static stray
check "a fault has its place" grep -q "global load of 4 bytes at 0x7000000000 is out of bounds" "$tmp/said"
emulated "NOTHING=1" cuda_app_static basic
check "without the library the program's own run time answers" grep -q "is still the program's" "$tmp/said"
