#include "script/reference.h"

#include <string.h>

#include "script/dbg.h"
#include "base/markdown.h"

static const struct lua_doc base_docs[] = {
    {"print", "print(...)", "any values", "writes them to the output, a tab between them", ""},
    {"require", "require(name) -> value", "name: string, \"lib.graph\" for lib/graph.lua; value: what the file returns",
     "loads Lua text, once, from the directory of the script that asks, then from scripts/workloads and scripts",
     "no such module; it is no Lua, or fails"},
    {"load", "load(chunk[, name[, mode[, env]]]) -> function", "as in Lua 5.4; chunk is text",
     "compiles Lua text; nil and a message when it is none", ""},
    {"string.gmatch", "string.gmatch(s, pattern[, init]) -> iterator", "as in Lua 5.4",
     "as in Lua 5.4; a search that could take long is tried to its end before the first match is returned",
     "all matches together take more than 10 s of processor time"},
    {"math.random", "math.random([m[, n]]) -> number", "as in Lua 5.4", "seeded with --seed: the same in every run",
     ""},
    {NULL, NULL, NULL, NULL, NULL}};

static const struct lua_doc workload_docs[] = {
    {"run", "run", "function(cuda, p); p: table, the fields of the chosen size, --param and seed",
     "the host program; it ends the run when it returns. It waits by cuda.* only: coroutine.yield in it is an error",
     ""},
    {"sizes", "sizes", "table: small, default, large = table of numbers and strings; optional",
     "what --size chooses; --param changes one field", ""},
    {"name", "name", "string; optional", "for the reader", ""},
    {"help", "help", "string; optional", "its line in `list workloads`", ""},
    {"kernels", "kernels", "string or table of strings; optional", "for the reader: the PTX files it loads", ""},
    {NULL, NULL, NULL, NULL, NULL}};

static const struct lua_doc machine_docs[] = {
    {"base", "base", "string: a name of `list gpus`, or a file; optional",
     "the machine whose keys hold unless named here", ""},
    {"help", "help", "string; optional", "its line in `list gpus`", ""},
    {"KEY", "[\"KEY\"]", "number, string or boolean, in the key's unit and range: `list config`",
     "any configuration key: [\"l1d.ways\"] = 8, [\"warp-sched\"] = \"lrr\"", ""},
    {NULL, NULL, NULL, NULL, NULL}};

const struct lua_section lua_sections[] = {
    {"base", "Lua itself",
     "Lua 5.4 with string, table, math, utf8, coroutine and the base library, but without io, os, package, debug, "
     "dofile, loadfile, collectgarbage and __gc; --allow-io gives io and os. Numbers are 64-bit integers and doubles. "
     "Each function lists its errors; arguments of a wrong type are errors everywhere. A function has a budget of VM "
     "instructions: 10^10 for a host program between two waits, 10^7 for a callback, 10^6 for a policy. It may take "
     "half a second of processor time, and one second more for each 10^8 instructions of its budget. A state may take "
     "4 GiB of memory (512 MiB for one string or table). A search of string.find, match, gmatch or gsub may take 2 s. "
     "Exceeding any of these is an error. The handler of xpcall is called when the call has ended. An error's text "
     "has a traceback, unless it names no place: error(text, 0).",
     base_docs, false},
    {"dbg", "dbg: events, breakpoints, running",
     "Available in scripts (--script, `source`, `lua`), conditions and host programs. Callbacks and conditions may "
     "look at the machine; functions that change or run it are errors within them. Expressions that are watched, "
     "displayed or waited for cannot set breakpoints or subscribe either, nor can callbacks while `reverse-continue` "
     "and its like search.",
     lua_dbg_docs, false},
    {"gpu", "gpu: the machine",
     "Available in the same places, read-only. S is an SM, W a warp slot, C a CTA slot, K a launch, I an instance. "
     "Lists begin at 0 and have a length (#gpu.sm). An object stands for the place, not for what was in the place "
     "when the object was asked for. Errors: an index or name that does not exist, assignment.",
     lua_gpu_docs, true},
    {"mem", "mem: device and shared memory", "Available in the same places. Writing is an error within callbacks.",
     lua_mem_docs, false},
    {"cuda", "cuda: host programs",
     "The first argument of a host program's `run`. While a function waits, the machine runs. A fault or deadlock of "
     "the simulated program ends the host program there.",
     lua_cuda_docs, false},
    {"workload", "A host program's file", "A Lua file that returns a table of these fields.", workload_docs, true},
    {"policy", "policy: schedulers",
     "Available only in files for --warp-sched, --cta-sched and --partition lua:FILE. These files have nothing else "
     "of this list. sm, k and m are valid while the function that got them runs.",
     lua_policy_docs, false},
    {"machine", "A machine's file", "A Lua file for --gpu that returns a table of these fields.", machine_docs, true}};
const u32 lua_nsections = ARRAY_LEN(lua_sections);

/* --- markdown --- */

static void add_field(struct strbuf *out, const struct lua_doc *doc)
{
	strbuf_addf(out, "| `%s` | ", doc->signature);
	markdown_add(out, doc->values, MARKDOWN_CELL);
	strbuf_adds(out, " | ");
	markdown_add(out, doc->text, MARKDOWN_CELL);
	strbuf_adds(out, " |\n");
}

bool lua_doc_same(const struct lua_doc *a, const struct lua_doc *b)
{
	return a->name && b->name && !strcmp(a->values, b->values) && !strcmp(a->text, b->text) &&
	       !strcmp(a->errors, b->errors);
}

static void add_part(struct strbuf *out, const char *title, const char *text)
{
	if (!*text)
		return;
	strbuf_addf(out, " *%s:* ", title);
	markdown_add(out, text, 0);
	strbuf_addc(out, '.');
}

/* One function, or those that differ in the name alone; returns the last of them. */
static const struct lua_doc *add_functions(struct strbuf *out, const struct lua_doc *doc)
{
	strbuf_addf(out, "- `%s`", doc->signature);
	for (; lua_doc_same(doc, doc + 1); doc++)
		strbuf_addf(out, ", `%s`", doc[1].signature);
	strbuf_adds(out, ": ");
	markdown_add(out, doc->text, 0);
	if (doc->text[strlen(doc->text) - 1] != '?')
		strbuf_addc(out, '.');
	add_part(out, "Values", doc->values);
	add_part(out, "Errors", doc->errors);
	strbuf_addc(out, '\n');
	return doc;
}

void lua_reference_markdown(struct strbuf *out)
{
	for (u32 i = 0; i < lua_nsections; i++) {
		const struct lua_section *s = &lua_sections[i];
		strbuf_addf(out, "%s### %s\n\n", i ? "\n" : "", s->title);
		markdown_add(out, s->text, 0);
		strbuf_adds(out, s->fields ? "\n\n| field | value | |\n| --- | --- | --- |\n" : "\n\n");
		for (const struct lua_doc *d = s->docs; d->name; d++)
			if (s->fields)
				add_field(out, d);
			else
				d = add_functions(out, d);
	}
}
