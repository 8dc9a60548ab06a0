/* The head and foot of a report: what it looks like, and the few lines of script that fold, sort and follow the
 * pointer. Colours are those of the screens (scr/palette.h), on a dark and on a light ground. */
#include "commands/report/page.h"
#include "scr/picture.h"
#include "views/view.h"

static const char css[] =
    "*{box-sizing:border-box}"
    "html{-webkit-text-size-adjust:100%}"
    "body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,'DejaVu Sans',Helvetica,Arial,"
    "sans-serif}"
    "main{max-width:1120px;margin:0 auto;padding:2rem 1.5rem 3rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem;font-weight:650;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.6rem 0 .8rem;padding-bottom:.35rem;border-bottom:1px solid var(--rule);"
    "font-weight:650}"
    "p{margin:.4rem 0;max-width:75ch}"
    ".dim,figcaption,caption,th,summary,footer{color:var(--dim)}"
    ".scope{border-left:4px solid var(--accent);padding:.35rem .8rem;background:var(--panel);margin:.8rem 0}"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:650}"
    "code,pre,.code{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.87em}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);padding:.7rem .9rem;border-radius:6px}"
    ".chips{display:flex;flex-wrap:wrap;gap:.35rem .5rem;margin:.7rem 0 0;padding:0;list-style:none}"
    ".chips li{background:var(--panel);border-radius:5px;padding:.1rem .55rem;font-size:.87rem;overflow-wrap:anywhere}"
    ".cards{display:grid;grid-template-columns:repeat(5,1fr);gap:.7rem;margin:1.4rem 0 0}"
    ".card{background:var(--panel);border-radius:8px;padding:.65rem .9rem .7rem}"
    ".card b{display:block;font-size:1.5rem;line-height:1.25;font-weight:620;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}"
    ".card span{display:block;color:var(--dim);font-size:.84rem}"
    "table{border-collapse:collapse;width:100%;font-size:.87rem;font-variant-numeric:tabular-nums}"
    ".wide{overflow-x:auto;margin:.3rem 0 .6rem}"
    "th{font-weight:500;text-align:left;vertical-align:bottom;border-bottom:1px solid var(--rule)}"
    "th,td{padding:.28rem .7rem .28rem 0;vertical-align:top}"
    "td{border-bottom:1px solid var(--hair)}"
    "td.n,th.n{text-align:right;white-space:nowrap}"
    "td.code{white-space:pre-wrap;overflow-wrap:anywhere;min-width:14rem}.tight{font-size:.82rem}"
    ".tight th,.tight td{padding-right:.5rem}td.help{color:var(--dim);min-width:16rem}"
    "td.name{white-space:nowrap}.break{overflow-wrap:anywhere;min-width:9rem}"
    "tr:hover td{background:var(--panel)}"
    ".sortable th{cursor:pointer}.sortable th[aria-sort]{color:var(--text)}"
    "caption{caption-side:bottom;text-align:left;padding-top:.4rem;font-size:.84rem}"
    ".bar{display:flex;height:26px;border-radius:5px;overflow:hidden;background:var(--panel);margin:.3rem 0 .7rem}"
    ".bar i{display:block;border-right:1px solid var(--ground)}.bar i:last-child{border:0}"
    ".legend{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:.15rem 1.2rem;margin:.5rem 0 0;"
    "padding:0;list-style:none;font-size:.84rem}"
    ".legend li{display:flex;align-items:center;gap:.45rem}.legend output{margin-left:auto}"
    "output{font-variant-numeric:tabular-nums}"
    ".chip{flex:none;display:inline-block;width:1.25em;height:1.25em;line-height:1.25em;text-align:center;"
    "border-radius:3px;font:600 .78rem/1.25em ui-monospace,'DejaVu Sans Mono',Menlo,monospace;"
    "color:var(--ground)}"
    ".chart{margin:1.1rem 0 0;padding-left:3.4rem}"
    "figcaption{display:flex;flex-wrap:wrap;gap:0 .5rem;font-size:.87rem}figcaption b{color:var(--text);"
    "font-weight:600}"
    "figcaption .read{margin-left:auto}figcaption .read~.read{margin-left:1rem}"
    ".l0 output{color:var(--c0)}.l1 output{color:var(--c1)}figcaption output{font-weight:600}"
    ".plot{position:relative;height:96px;margin-top:.25rem}.tall .plot{height:230px}"
    ".plot svg{display:block;width:100%;height:100%;overflow:visible}"
    ".plot .y{position:absolute;right:100%;transform:translateY(50%);padding-right:.5rem;font-size:.76rem;"
    "color:var(--dim);white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".grid{stroke:var(--rule);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}"
    ".line{fill:none;stroke-width:1.6;vector-effect:non-scaling-stroke;stroke-linejoin:round}"
    ".line.c0{stroke:var(--c0)}.line.c1{stroke:var(--c1)}.area{fill:var(--c0);opacity:.13}"
    ".cross{position:absolute;top:0;bottom:0;width:1px;background:var(--text);opacity:.55;pointer-events:none}"
    ".x{position:relative;height:1.5rem;margin:.3rem 0 0 3.4rem;font-size:.76rem;color:var(--dim);"
    "border-top:1px solid var(--rule);font-variant-numeric:tabular-nums}"
    ".x span{position:absolute;transform:translateX(-50%);padding-top:.15rem;white-space:nowrap}"
    ".x span::before{content:'';position:absolute;left:50%;top:0;height:4px;border-left:1px solid var(--dim)}"
    ".x b{position:absolute;right:100%;padding-right:.5rem;font-weight:400}"
    ".lanes{margin:.8rem 0 0 3.4rem}.lane{position:relative;height:25px;margin-bottom:3px}"
    ".lane>b{position:absolute;right:100%;padding-right:.5rem;font-weight:400;font-size:.76rem;color:var(--dim);"
    "line-height:25px;white-space:nowrap}"
    ".lane i{position:absolute;top:0;bottom:0;min-width:2px;overflow:hidden;white-space:nowrap;border-radius:3px;"
    "font:500 .78rem/25px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;padding-left:5px;"
    "border-left:3px solid var(--k);background:var(--panel);background:color-mix(in srgb,var(--k) 26%,var(--ground))}"
    ".lane.marks{height:18px}.lane.marks i{border:0;background:none;padding:0;transform:translateX(-50%);"
    "line-height:18px;overflow:visible;color:var(--accent)}"
    ".sms{position:relative;margin:.4rem 0 0 3.4rem}.sms svg{display:block;width:100%;height:100%;"
    "background:var(--panel)}"
    ".sms>b{position:absolute;right:100%;padding-right:.5rem;font-weight:400;font-size:.7rem;line-height:1;"
    "color:var(--dim);white-space:nowrap}"
    ".mark{fill:none;stroke:var(--bad);stroke-width:1.5;vector-effect:non-scaling-stroke}"
    ".swap{fill:none;stroke:var(--text);stroke-width:1;vector-effect:non-scaling-stroke;opacity:.7}"
    ".ramp{display:inline-flex;vertical-align:middle;margin:0 .35rem}.ramp i{display:block;width:16px;height:11px}"
    "details{margin:.6rem 0}summary{cursor:pointer;padding:.15rem 0}summary b,summary span{color:var(--text)}"
    ".finding{border-left:3px solid var(--rule);padding:.1rem 0 .2rem 1rem;margin:1rem 0}"
    ".finding h3{font-size:1rem;margin:0;font-weight:620;display:flex;gap:1rem;justify-content:space-between}"
    ".finding h3 span{white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".cost{height:5px;border-radius:3px;background:var(--panel);margin:.3rem 0 .45rem;max-width:340px}"
    ".cost i{display:block;height:100%;border-radius:3px;background:var(--accent)}"
    ".finding ul{margin:.35rem 0;padding-left:1.2rem;max-width:75ch}.finding p{margin:.35rem 0}"
    ".finding{font-size:.93rem}"
    ".up{color:var(--good)}.down{color:var(--bad)}"
    "footer{margin-top:3rem;font-size:.84rem;border-top:1px solid var(--rule);padding-top:.7rem}"
    "@media(max-width:960px){.cards{grid-template-columns:repeat(auto-fill,minmax(150px,1fr))}}"
    "@media(min-width:900px){.sides{display:grid;grid-template-columns:1fr 1fr;gap:0 2.5rem}}"
    "@media(max-width:640px){main{padding:1.2rem .9rem 2rem}h1{font-size:1.5rem}.cards{grid-template-columns:1fr 1fr;"
    "gap:.5rem}.card{padding:.5rem .7rem}.card b{font-size:1.15rem}.chart{padding-left:2.7rem}"
    ".x,.lanes,.sms{margin-left:2.7rem}.x span:nth-of-type(even){display:none}.tall .plot{height:190px}"
    ".legend{grid-template-columns:1fr 1fr;gap:.15rem .7rem}.plot .y,.lane>b,.x b{font-size:.68rem}"
    ".finding h3{flex-wrap:wrap;gap:0 1rem}}"
    "@media print{body{font-size:11px}main{max-width:none;padding:0}.chart,.finding,.card,tr{break-inside:avoid}"
    "h2{break-after:avoid}.wide{overflow:visible}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

/* A click on a column's head sorts its table: numbers the largest first, then the other way. The pointer on a picture
 * says what each curve was at that cycle. No character that HTML would have to escape stands in it. */
static const char js[] =
    "(function(){"
    "var each=function(l,f){Array.prototype.forEach.call(l,f)};"
    "each(document.querySelectorAll('table.sortable'),function(t){each(t.tHead.rows[0].cells,function(h,i){"
    "h.tabIndex=0;var go=function(){var down=h.getAttribute('aria-sort')!=='descending',b=t.tBodies[0];"
    "var key=function(r){var c=r.cells[i],v=c.getAttribute('data-v')||c.textContent,n=parseFloat(v);"
    "return isNaN(n)?v:n};"
    "var order=function(x,y){var p=key(x),q=key(y);if(typeof p!==typeof q)return typeof p==='number'?-1:1;"
    "return(p===q?0:typeof p==='number'?q-p:String(q).localeCompare(p))*(down?1:-1)};"
    "each(t.tHead.rows[0].cells,function(o){o.removeAttribute('aria-sort')});"
    "h.setAttribute('aria-sort',down?'descending':'ascending');"
    "Array.prototype.slice.call(b.rows).sort(order).forEach(function(r){b.appendChild(r)})};"
    "h.onclick=go;h.onkeydown=function(e){if(e.key==='Enter')go()}})});"
    "var plots=document.querySelectorAll('.chart .plot'),reads=document.querySelectorAll('.chart .read'),"
    "to=0,from=Infinity;"
    "each(reads,function(r){r.ys=r.getAttribute('data-y').split(' ');r.out=r.querySelector('output');"
    "r.was=r.out.textContent;from=Math.min(from,+r.getAttribute('data-from'));"
    "to=Math.max(to,+r.getAttribute('data-to'))});"
    "var leave=function(){each(document.querySelectorAll('.cross'),function(c){c.remove()});"
    "each(reads,function(r){r.out.textContent=r.was})};"
    "each(plots,function(p){p.onpointermove=function(e){leave();var b=p.getBoundingClientRect(),"
    "f=Math.min(1,Math.max(0,(e.clientX-b.left)/b.width)),cycle=from+f*(to-from);"
    "each(plots,function(q){var c=document.createElement('div');c.className='cross';c.style.left=100*f+'%';"
    "q.appendChild(c)});"
    "each(reads,function(r){var i=Math.floor((cycle-r.getAttribute('data-from'))/r.getAttribute('data-width')),"
    "v=r.ys[Math.min(i,r.ys.length-1)];r.out.textContent=v===undefined?'-':v+"
    "(r.was.indexOf('%')===-1?'':' %')})};p.onpointerleave=leave})})()";

static void role(struct strbuf *out, const char *name, enum role r, bool light)
{
	char rgb[8];
	picture_role_rgb(r, light, rgb);
	strbuf_addf(out, "%s:%s;", name, rgb);
}

static void colours(struct strbuf *out, bool light)
{
	static const enum role kernels[] = {R_SER3, R_SER1, R_SER2, R_SER4, R_SER0, R_SER5};
	char name[16], rgb[8];
	strbuf_addf(out, ":root{color-scheme:%s;%s", light ? "light" : "dark",
	            light ? "--ground:#fcfcfb;--panel:#f0f1f3;--text:#20242b;--dim:#5b616c;--rule:#d5d8de;--hair:#e8eaee;"
	                    "--accent:#1f5fae;--good:#2d6a17;--bad:#b3261e;--c0:#1f5fae;--c1:#b4560b;--heat:#1f6f8b;"
	                  : "--ground:#15171c;--panel:#20242b;--text:#dfe3ea;--dim:#9aa1ad;--rule:#3a3f49;--hair:#292d35;"
	                    "--accent:#f0c75e;--good:#87d75f;--bad:#ff7b72;--c0:#7ab8ff;--c1:#f2a65a;--heat:#5cc2d9;");
	for (u32 i = 0; i < ARRAY_LEN(kernels); i++) {
		snprintf(name, sizeof name, "--k%u", i);
		role(out, name, kernels[i], light);
	}
	for (u32 r = 0; r < ST_COUNT; r++) {
		snprintf(name, sizeof name, "--f%u", r);
		picture_role_rgb(stall_role((enum stall)r), light, rgb);
		strbuf_addf(out, "%s:%s;", name, rgb);
	}
	strbuf_adds(out, "}");
}

void page_begin(struct strbuf *out, const char *title)
{
	strbuf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	                 "<meta name=\"generator\" content=\"warpdbg\"/>\n"
	                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	                 "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"/>\n"
	                 "<link rel=\"icon\" href=\"data:,\"/>\n<title>");
	html_text(out, title);
	strbuf_adds(out, "</title>\n<style>\n");
	colours(out, true);
	strbuf_adds(out, "\n@media screen and (prefers-color-scheme:dark){");
	colours(out, false);
	strbuf_adds(out, "}\n");
	for (u32 r = 0; r < ST_COUNT; r++)
		strbuf_addf(out, ".f%u{fill:var(--f%u);background:var(--f%u)}", r, r, r);
	for (u32 i = 0; i < 6; i++)
		strbuf_addf(out, ".k%u{--k:var(--k%u)}", i, i);
	for (u32 i = 1; i <= 8; i++)
		strbuf_addf(out, ".h%u{fill:var(--heat);background:var(--heat);opacity:%.2f}", i, 0.08 + 0.115 * i);
	strbuf_addf(out, "\n%s\n</style>\n</head>\n<body>\n<main>\n", css);
}

void page_end(struct strbuf *out)
{
	strbuf_addf(out,
	            "<footer>Made by warpdbg. The figures are those of its JSON report; <code>warpdbg explain NAME</code> "
	            "says what each one means. Point at a name to read its definition.</footer>\n</main>\n"
	            "<script>%s</script>\n</body>\n</html>\n",
	            js);
}
