#!/bin/sh
# Makes sure that what the build needs is there: setup.sh build|check|bench|full|browser
#
# Looks for programs and headers themselves, so that any way of installing them counts. What is missing is installed with apt
# (after printing the list); without apt the list is the message.
set -u
what=${1:-build}
CC=${CC:-gcc}

header() { # header NAME [CFLAGS]: can the compiler include it?
	name=$1
	shift
	echo "#include <$name>" | $CC -E "$@" - >/dev/null 2>&1
}

lua_header() { header lua.h $(pkg-config --cflags lua5.4 2>/dev/null) -I/usr/include/lua5.4; }

missing() {
	command -v "$CC" >/dev/null || echo gcc
	header stdio.h || echo libc6-dev
	command -v make >/dev/null || echo make
	command -v pkg-config >/dev/null || echo pkg-config
	header ncurses.h || echo libncurses-dev
	printf '#include <stdio.h>\n#include <readline/readline.h>\n' | $CC -E - >/dev/null 2>&1 || echo libreadline-dev
	lua_header || echo liblua5.4-dev
	header jansson.h || echo libjansson-dev
	header xxhash.h || echo libxxhash-dev
	header zstd.h || echo libzstd-dev
	header lz4.h || echo liblz4-dev
	printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' |
		$CC -E - >/dev/null 2>&1 || echo libcmocka-dev
	header vterm.h || echo libvterm-dev
	if [ "$what" = check ]; then
		command -v clang-format >/dev/null || echo clang-format
		command -v cppcheck >/dev/null || echo cppcheck
	fi
	if [ "$what" = full ]; then
		command -v aarch64-linux-gnu-gcc >/dev/null || echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross
		command -v qemu-aarch64 >/dev/null || echo qemu-user
	fi
	if [ "$what" = browser ]; then
		command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || echo chromium
	fi
	if [ "$what" = bench ]; then
		command -v valgrind >/dev/null || echo valgrind
	fi
}

list=$(missing)
[ -z "$list" ] && exit 0
if ! command -v apt-get >/dev/null; then
	echo "warpdbg needs these packages (Debian's names), which are not installed:" $list >&2
	echo "Install them with your system's package manager and run make again." >&2
	exit 1
fi
root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "warpdbg needs these packages; install them as root:" >&2
		echo "  apt-get install" $list >&2
		exit 1
	fi
	root=sudo
fi
echo "installing:" $list
install() { $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $list </dev/null; }
# The package lists may be empty or old (a fresh container): update only when the first try fails.
install >/dev/null 2>&1 || { $root apt-get update </dev/null && install; } || exit 1
list=$(missing)
[ -z "$list" ] || { echo "still missing after the installation:" $list >&2; exit 1; }
