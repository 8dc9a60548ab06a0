#!/bin/sh
# Reports in a real browser (chromium, without a screen): no error in its console, no request, pictures that are not blank,
# on a wide and a narrow window, light and dark; what people click on works. Part of `make test-full`. REPORT_SHOTS=DIR keeps
# the pictures.
. "$(dirname "$0")/../rig/cli_rig.sh"

if [ -z "${REPORT_BROWSER:-}" ]; then
	echo "ok skipped: \`make test-full\` runs it"
	exit 0
fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	echo "ok skipped: there is no chromium, and its package could not be installed"
	exit 0
fi
shots=${REPORT_SHOTS:-$tmp}
look() { # look PAGE OPTIONS...: what the console says goes to $tmp/console, what is asked for to $tmp/net.json
	file=$1
	shift
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-extensions \
		--disable-background-networking --disable-component-update --disable-sync --user-data-dir="$tmp/profile" \
		--disable-features=NetworkTimeServiceQuerying --enable-logging=stderr --log-net-log="$tmp/net.json" --net-log-capture-mode=IncludeSensitive "$@" "file://$file" \
		2>"$tmp/console" </dev/null
}
quiet() { ! grep 'CONSOLE' "$tmp/console"; }
# The browser itself may ask its maker for the time.
alone() { test -s "$tmp/net.json" && ! grep -oE '"url": ?"https?:[^"]*"' "$tmp/net.json" | grep -v '//[a-z0-9.]*google'; }

{
# What would be seen, if there were anything to see.
echo '<p>x</p><script>nothing.there()</script><img src="http://127.0.0.1:9/x.png"/>' >"$tmp/bad.html"
look "$tmp/bad.html" --dump-dom >"$tmp/dom"
check "an error in the console is seen" sh -c "grep -q 'CONSOLE.*nothing is not defined' '$tmp/console'"
check "a request is seen" grep -q '127.0.0.1:9/x.png' "$tmp/net.json"
echo '<p></p>' >"$tmp/blank.html"

"$W" run hotspot --report "$tmp/run.html" --stats "$tmp/run.json" >/dev/null
"$W" compare hotspot --size small --a '' --b '--warp-sched lrr' --report "$tmp/compare.html" >/dev/null
"$W" debug blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt drain \
	--dynamic-idempotence --batch -ex 'note at 42000 the first request' -ex continue -ex "report $tmp/preempt.html" >/dev/null

for page in run compare preempt; do
	look "$tmp/$page.html" --dump-dom >"$tmp/dom"
	check "$page: the console is quiet" quiet
	check "$page: nothing is asked for" alone
	check "$page: it is all there" grep -q 'Made by warpdbg' "$tmp/dom"
done
look "$tmp/run.html" --dump-dom >"$tmp/dom"
for figure in cycles sim_time_us ipc; do
	value=$(sed -n "s/^ \"$figure\": \(.*\),/\1/p" "$tmp/run.json" | head -1)
	check "run: $figure $value is on the page" grep -q "data-f=\"$figure\" data-v=\"$value\"" "$tmp/dom"
done
check "run: cycles as people read them" grep -q "<b>$(sed -n 's/^ "cycles": \(.*\),/\1/p' "$tmp/run.json" | head -1 |
	sed ':a;s/\B[0-9]\{3\}\>/,&/;ta')</b>" "$tmp/dom"

# A click on a head sorts; the pointer on a picture says what was there.
sed 's|</body>|<script>document.querySelector("#launches th:nth-child(6)").click();var p=document.querySelector(".plot"),b=p.getBoundingClientRect();p.dispatchEvent(new PointerEvent("pointermove",{clientX:b.left+b.width/2,clientY:b.top+5}))</script></body>|' \
	"$tmp/run.html" >"$tmp/click.html"
look "$tmp/click.html" --dump-dom >"$tmp/dom"
check "a head sorts" grep -q 'aria-sort="descending"' "$tmp/dom"
check "the pointer has a line in each picture" test "$(grep -o 'class="cross"' "$tmp/dom" | wc -l)" -eq 6
check "and still no error" quiet

for width in 1280 420; do
	look "$tmp/blank.html" --window-size=$width,1600 --screenshot="$tmp/blank.png" >/dev/null
	for page in run compare preempt; do
		for theme in 0 1; do
			shot=$shots/$page-$width-$theme.png
			look "$tmp/$page.html" --window-size=$width,1600 --blink-settings=preferredColorScheme=$theme \
				--screenshot="$shot" >/dev/null
			check "$page at $width ($theme) is not blank" \
				test "$(wc -c <"$shot")" -gt $((5 * $(wc -c <"$tmp/blank.png")))
		done
		check "$page at $width: light and dark differ" sh -c "! cmp -s '$shots/$page-$width-0.png' '$shots/$page-$width-1.png'"
	done
done
} | tee "$tmp/lines"
! grep -q '^not ok' "$tmp/lines"
