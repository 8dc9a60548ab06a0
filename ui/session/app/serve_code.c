/* Requests of an application: its start, its code. */
#include <stdlib.h>
#include <string.h>

#include "session/app/serve.h"

s32 serve_hello(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct wire_device d = {0};
	if (h->request.a[0] != WIRE_VERSION)
		return serve_failed(s, h, 803, "the library of another version of warpdbg: build both again");
	if (h->channel.processes > 1) { /* the child after its sibling: nothing is left of that one */
		serve_release(h);
		serve_begin(h);
	}
	device_of(s, &d);
	serve_bytes(h, a, &d, sizeof d);
	return CUDA_OK;
}

s32 serve_module(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct strbuf label = STRBUF_INIT, notes = STRBUF_INIT;
	struct code c = {0};
	struct err e = {0};
	strbuf_add(&h->pieces, (const char *)h->channel.shared, h->request.bytes);
	strbuf_addf(&label, "%s#%u", s->programs[h->program].name, h->nmodules + 1);
	bool ok = true;
	s32 status = CUDA_NO_BINARY;
	if (h->request.a[0] == WIRE_PTX)
		code_of_ptx(&c, label.buf, h->pieces.buf, h->pieces.len);
	else
		ok = code_of_fat_binary(&c, label.buf, h->pieces.buf, h->pieces.len, h->request.a[1] == 1,
		                        s->conf.cuda_capability, &notes, &e);
	strbuf_clear(&h->pieces);
	struct module *m = NULL;
	if (ok) {
		status = CUDA_INVALID_PTX;
		m = machine_load(s, h, c.text, c.n, &e);
	}
	if (m) {
		code_forget_texts(&c);
		h->modules = xrealloc(h->modules, (h->nmodules + 1) * sizeof *h->modules);
		h->modules[h->nmodules++] = (struct app_module){m, c};
		a->v[0] = h->nmodules;
		status = CUDA_OK;
	} else {
		code_release(&c);
		app_tell(s, h, e.msg);
	}
	if (notes.len)
		app_tell(s, h, notes.buf);
	strbuf_release(&notes);
	strbuf_release(&label);
	return status;
}

static struct app_module *module_of(struct app_host *h)
{
	const u64 id = h->request.a[0];
	return id && id <= h->nmodules && h->modules[id - 1].m ? &h->modules[id - 1] : NULL;
}

/* The machine keeps it: launches may be under way, and the past may know it. */
s32 serve_module_free(struct session *s, struct app_host *h, struct wire_reply *a)
{
	return module_of(h) ? CUDA_OK : CUDA_INVALID_HANDLE;
}

static u32 function_number(struct app_host *h, const struct app_module *m, const struct func *fn)
{
	for (u32 i = 0; i < h->nfunctions; i++)
		if (h->functions[i].fn == fn && h->functions[i].m == m->m)
			return i + 1;
	h->functions = xrealloc(h->functions, (h->nfunctions + 1) * sizeof *h->functions);
	h->functions[h->nfunctions++] = (struct app_function){m->m, fn, code_registers(&m->code, fn->name)};
	return h->nfunctions;
}

static void describe_function(const struct session *s, const struct app_function *f, struct wire_function *w)
{
	const struct func *fn = f->fn;
	const u32 capability = s->conf.cuda_capability;
	const u64 maxntid = (u64)fn->maxntid[0] * MAX(fn->maxntid[1], 1u) * MAX(fn->maxntid[2], 1u);
	*w = (struct wire_function){.nparams = MIN(fn->nparams, WIRE_PARAMETERS),
	                            .param_bytes = fn->param_bytes,
	                            .regs = MIN(f->regs ? f->regs : fn->regs, s->conf.sm_max_regs_thread),
	                            .shared = fn->shared_bytes,
	                            .local = fn->local_bytes,
	                            .threads_max = maxntid ? (u32)MIN(maxntid, 1024u) : 1024,
	                            .ptx_version = capability,
	                            .binary_version = capability,
	                            .dynamic_max =
	                                conf_cta_shared(&s->conf) - MIN(fn->shared_bytes, conf_cta_shared(&s->conf))};
	for (u32 i = 0; i < w->nparams; i++) {
		w->param[i].offset = fn->params[i].offset;
		w->param[i].size = fn->params[i].size;
	}
}

s32 serve_function(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_module *m = module_of(h);
	char *name = serve_text(h);
	const struct func *fn = m ? module_func(m->m, name, true) : NULL;
	struct wire_function w;
	s32 status = CUDA_INVALID_FUNCTION;
	if (fn && fn->nparams <= WIRE_PARAMETERS) {
		a->v[0] = function_number(h, m, fn);
		describe_function(s, &h->functions[a->v[0] - 1], &w);
		serve_bytes(h, a, &w, sizeof w);
		status = CUDA_OK;
	} else {
		struct strbuf text = STRBUF_INIT;
		strbuf_addf(&text, "no kernel '%s'%s", name, m ? "" : ": its module was refused");
		app_tell(s, h, text.buf);
		strbuf_release(&text);
	}
	free(name);
	return status;
}

s32 serve_symbol(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_module *m = module_of(h);
	char *name = serve_text(h);
	s32 status = CUDA_INVALID_SYMBOL;
	for (u32 i = 0; m && i < m->m->nsymbols; i++) {
		const struct symbol *y = &m->m->symbols[i];
		if (!strcmp(y->name, name) && (y->space == SPC_GLOBAL || y->space == SPC_CONST)) {
			a->v[0] = y->addr;
			a->v[1] = y->size;
			status = CUDA_OK;
		}
	}
	free(name);
	return status;
}
