/* The command `correlate`. */
#include "cli/correlate/correlate.h"

#include <ctype.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "session/catalog.h"
#include "session/machine.h"
#include "base/plain.h"
#include "base/complain.h"

/* Letters and digits alone, small: "NVIDIA H200" has "h200" in it, "GeForce RTX 2060" "rtx2060". */
static char *plain_letters(const char *s)
{
	char *out = xmalloc(strlen(s) + 1), *w = out;
	for (; *s; s++)
		if (isalnum((unsigned char)*s))
			*w++ = (char)tolower((unsigned char)*s);
	*w = 0;
	return out;
}

/* The machine of `list gpus` whose name is in the chip's, the longest; to be freed. NULL with *e. */
static char *machine_of(const struct correlation *c, const char *data_dir, struct err *e)
{
	struct file_names n = catalog_names(data_dir, "configs/gpus");
	char *chip = plain_letters(c->chip);
	const char *best = NULL;
	for (u32 i = 0; i < n.n; i++)
		if (strstr(chip, n.name[i]) && (!best || strlen(n.name[i]) > strlen(best)))
			best = n.name[i];
	char *name = best ? xstrdup(best) : NULL;
	if (!name)
		err_set(e, "%s: no machine of `warpdbg list gpus` is named in '%s': say --gpu NAME|FILE", c->path, c->chip);
	free(chip);
	catalog_release(&n);
	return name;
}

/* Another micro.ptx would answer other questions. */
static bool same_ptx(const struct correlation *c, const char *data_dir, struct err *e)
{
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	u64 h = 0xcbf29ce484222325ull; /* FNV-1a, as scripts/hardware/measure.c has it */
	strbuf_addf(&path, "%s/scripts/hardware/micro.ptx", data_dir);
	bool ok = strbuf_read_file(&text, path.buf, e);
	char now[17];
	for (size_t i = 0; ok && i < text.len; i++)
		h = (h ^ (u8)text.buf[i]) * 0x100000001b3ull;
	snprintf(now, sizeof now, "%016llx", (unsigned long long)h);
	if (ok && c->nmicro && c->ptx_hash && strcmp(c->ptx_hash, now))
		ok = err_set(e, "%s: micro_ptx: measured with another micro.ptx (%s, here %s): measure again", c->path,
		             c->ptx_hash, now);
	strbuf_release(&path);
	strbuf_release(&text);
	return ok;
}

static bool write_report(const struct correlation *c, const struct options *o, struct outfile *svg, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	const char *format = o->format ? o->format : "text";
	if (!strcmp(format, "json"))
		corr_json(c, &text);
	else if (!strcmp(format, "csv"))
		corr_csv(c, &text);
	else
		corr_text(c, o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8"), &text);
	plain_write(&text, stdout);
	strbuf_clear(&text);
	corr_plot_svg(c, &text);
	bool ok = !svg || outfile_put(svg, strbuf_str(&text), text.len, e);
	strbuf_release(&text);
	return ok;
}

/* Puts the settings of the file before those of the command line, which thus win. */
static void take_sets(const struct correlation *c, struct options *o)
{
	o->sets = xrealloc(o->sets, (c->nsets + o->nsets + 1) * sizeof *o->sets);
	for (u32 i = o->nsets; i-- > 0;)
		o->sets[c->nsets + i] = o->sets[i];
	for (u32 i = 0; i < c->nsets; i++)
		o->sets[i] = xstrdup(c->sets[i]);
	o->nsets += c->nsets;
}

int correlate_main(struct options *o)
{
	struct err e = {0};
	struct correlation c = {0};
	char *data_dir = NULL, *gpu = NULL;
	struct outfile *svg = o->svg ? outfile_open(o->svg, "--svg", &e) : NULL;
	bool ok =
	    !e.set && corr_read(&c, o->workload, &e) && (data_dir = catalog_data_dir(&e)) && same_ptx(&c, data_dir, &e);
	if (ok && !o->gpu) {
		gpu = machine_of(&c, data_dir, &e);
		o->gpu = gpu;
		ok = gpu != NULL;
	}
	if (ok)
		take_sets(&c, o);
	ok = ok && machine_conf(&c.conf, data_dir, o->gpu, o->sets, o->nsets, &e) && corr_model(&c, o, data_dir, &e) &&
	     write_report(&c, o, svg, &e);
	if (ok && svg)
		ok = outfile_commit(svg, &e);
	else
		outfile_drop(svg);
	if (!ok)
		complain(&e);
	corr_release(&c);
	free(data_dir);
	free(gpu);
	return ok ? 0 : 2;
}
