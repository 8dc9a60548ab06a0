#include "session/app/code.h"

#include <stdlib.h>
#include <string.h>

#include "session/app/cubin.h"
#include "session/app/fatbin.h"

/* A damaged one says nothing of registers. */
static void add_cubin(struct code *c, const struct fatbin *f, u32 container, u32 sm)
{
	size_t len;
	const struct fatbin_member *m = fatbin_choose_cubin(f, container, sm, NULL);
	char *cubin = m ? fatbin_unpack(f, m, &len, NULL) : NULL;
	if (cubin && cubin_read(&c->cubin[c->ncubins], f->label, cubin, len, NULL))
		c->ncubins++;
	free(cubin);
}

static bool add_container(struct code *c, const struct fatbin *f, u32 container, u32 sm, struct strbuf *notes,
                          struct err *e)
{
	size_t len;
	const struct fatbin_member *ptx = fatbin_choose_ptx(f, container, sm, notes, e);
	char *text = ptx ? fatbin_unpack(f, ptx, &len, e) : NULL;
	if (!text)
		return false;
	struct strbuf name = STRBUF_INIT;
	strbuf_addf(&name, f->containers > 1 ? "%s.%u.ptx" : "%s.ptx", f->label, container);
	c->text[c->n++] = (struct source_text){.name = name.buf, .text = text, .len = len};
	return true;
}

bool code_of_fat_binary(struct code *c, const char *label, const void *bytes, u64 n, bool linked, u32 sm,
                        struct strbuf *notes, struct err *e)
{
	struct fatbin f;
	*c = (struct code){0};
	if (!fatbin_read(&f, label, bytes, n, e))
		return false;
	c->text = xcalloc(MAX(f.containers, 1u), sizeof *c->text);
	c->cubin = xcalloc(MAX(f.containers, 1u), sizeof *c->cubin);
	bool ok = f.containers > linked || err_set(e, "%s: an empty fat binary", label);
	if (ok && linked)
		add_cubin(c, &f, 0, sm);
	/* Those of parts do not know what the functions of other parts need that their kernels call. */
	const bool known = c->ncubins;
	for (u32 i = linked; ok && i < f.containers; i++) {
		ok = add_container(c, &f, i, sm, notes, e);
		if (ok && !known)
			add_cubin(c, &f, i, sm);
	}
	fatbin_release(&f);
	if (!ok)
		code_release(c);
	return ok;
}

void code_of_ptx(struct code *c, const char *label, const void *text, u64 n)
{
	*c = (struct code){.text = xcalloc(1, sizeof *c->text), .n = 1};
	const u64 len = strnlen(text, n); /* cuModuleLoadData's image ends with a zero */
	c->text[0] = (struct source_text){.name = xstrdup(label), .text = xstrndup(text, len), .len = len};
}

u32 code_registers(const struct code *c, const char *kernel)
{
	for (u32 i = 0; i < c->ncubins; i++) {
		const struct cubin_kernel *k = cubin_kernel(&c->cubin[i], kernel);
		if (k)
			return k->regs;
	}
	return 0;
}

void code_forget_texts(struct code *c)
{
	for (u32 i = 0; i < c->n; i++) {
		free((void *)(uintptr_t)c->text[i].name);
		free((void *)(uintptr_t)c->text[i].text);
	}
	free(c->text);
	c->text = NULL;
	c->n = 0;
}

void code_release(struct code *c)
{
	code_forget_texts(c);
	for (u32 i = 0; i < c->ncubins; i++)
		cubin_release(&c->cubin[i]);
	free(c->cubin);
	*c = (struct code){0};
}
