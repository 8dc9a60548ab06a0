#!/bin/sh
# Builds the measuring program, runs it on this machine's NVIDIA GPU and writes one JSON file: README.md beside this.
#
#   scripts/hardware/measure.sh FILE.json [OPTIONS of measure] [LOG...]
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
fail() {
	echo "measure.sh: $*" >&2
	exit 2
}
case ${1-} in
'' | -*) fail "usage: measure.sh FILE.json [--device N] [--repeat N] [--only TEXT] [--note TEXT] [LOG...]" ;;
esac
file=$1
shift
for cc in "${CC-}" cc gcc clang nvcc; do
	[ -n "$cc" ] && command -v "$cc" >/dev/null 2>&1 && break
	cc=
done
[ -n "$cc" ] || fail "no C compiler: none of \$CC, cc, gcc, clang, nvcc is on the PATH"
bin=$(mktemp -d) || exit 2
trap 'rm -rf "$bin"' EXIT
dl=-ldl
[ "$cc" = nvcc ] && dl=  # it says -ldl itself
"$cc" -O2 -D_GNU_SOURCE -o "$bin/measure" "$here/measure.c" "$here/replay.c" "$here/driver.c" $dl || fail "$cc cannot build measure.c"
"$bin/measure" --ptx "$here/micro.ptx" --out "$file" "$@"
