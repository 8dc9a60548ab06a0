/* What says something about caches, proxies or other grids and changes no value: createpolicy, applypriority, discard,
 * prefetches, fences with more words than a scope, griddepcontrol. Their forms are checked; only prefetches, fences and
 * griddepcontrol.wait take time. */
#include "front/ptx/reader/lower.h"

static bool has_word(const struct stmt *s, const char *word)
{
	for (u32 i = 0; i < s->nmods; i++)
		if (tok_is_mod(&s->mod[i], word))
			return true;
	return false;
}
/* Are all words among these? */
static bool known_words(struct stmt *s, const char *const *words)
{
	for (u32 i = 0; i < s->nmods; i++) {
		u32 k = 0;
		while (words[k] && !tok_is_mod(&s->mod[i], words[k]))
			k++;
		if (!words[k])
			return ld_unsupported(s->ld, &s->mod[i], "'%s' is not supported ('%s' does not know '%s')", NAME(s),
			                      s->form->name, TEXT(&s->mod[i]));
	}
	return true;
}

/* --- cache policies ----------------------------------------------------------------------------------------------- */

/* A policy is an opaque value: here the number of its form, for nobody looks at it. */
static bool emit_policy(struct stmt *s, u64 form)
{
	if (!lower_dst(s, &s->arg[0], T_B64, W_EXACT, &s->in.d[0]))
		return false;
	s->in.op = OP_MOV;
	s->in.type = T_B64;
	s->in.s[0] = pool_value(s->ld, form, 8);
	emit(s, &s->in);
	return true;
}
/* createpolicy.fractional.primary{.secondary}.b64 policy {, fraction}
 * createpolicy.range{.global}.primary{.secondary}.b64 policy, [a], primary size, total size
 * createpolicy.cvt.L2.b64 policy, property */
bool lower_createpolicy(struct stmt *s)
{
	static const char *const words[] = {
	    "fractional",          "range", "cvt", "L2", "global", "L2::evict_last", "L2::evict_normal", "L2::evict_first",
	    "L2::evict_unchanged", "b64",   NULL};
	opnd unused;
	const bool range = has_word(s, "range"), fractional = has_word(s, "fractional"), cvt = has_word(s, "cvt");
	const u32 most = cvt ? 2 : range ? 4 : 2, least = fractional ? 1 : most;
	if (!known_words(s, words))
		return false;
	if (range + fractional + cvt != 1 || !has_word(s, "b64"))
		return ld_fail(s->ld, &s->op, "'%s' needs .fractional, .range or .cvt, and type .b64", NAME(s));
	if (!want_args(s, least, most))
		return false;
	if (fractional && s->nargs == 2 && !lower_src(s, &s->arg[1], T_F32, W_EXACT, &unused))
		return false;
	if (cvt && !lower_src(s, &s->arg[1], T_B64, W_EXACT, &unused))
		return false;
	if (range) {
		if (s->arg[1].kind != A_ADDR || s->arg[1].nelems)
			return ld_fail(s->ld, &s->arg[1].at, "'%s' needs an address in brackets here", NAME(s));
		if (!lower_src(s, &s->arg[2], T_B32, W_EXACT, &unused) || !lower_src(s, &s->arg[3], T_B32, W_EXACT, &unused))
			return false;
	}
	return emit_policy(s, 1 + range + 2 * cvt);
}

/* applypriority{.global}.L2::evict_normal [a], 128; discard{.global}.L2 [a], 128. What a discard leaves is undefined:
 * here it leaves what there is. */
bool lower_cache_line(struct stmt *s)
{
	static const char *const priority[] = {"global", "L2::evict_normal", NULL}, *const discard[] = {"global", "L2",
	                                                                                                NULL};
	const bool is_discard = tok_is_name(&s->op, "discard");
	if (!known_words(s, is_discard ? discard : priority))
		return false;
	if (!has_word(s, is_discard ? "L2" : "L2::evict_normal"))
		return ld_fail(s->ld, &s->op, "'%s' lacks a modifier that says what to do", NAME(s));
	if (!want_args(s, 2, 2))
		return false;
	if (s->arg[1].kind != A_INT || s->arg[1].ival != 128)
		return ld_fail(s->ld, &s->arg[1].at, "'%s' is for 128 bytes", NAME(s));
	s->in.space = has_word(s, "global") ? SPC_GLOBAL : SPC_GENERIC;
	if (!lower_address(s, &s->arg[0]))
		return false;
	struct inst nop = inst_init(OP_NOP, T_NONE); /* the address is not looked at */
	emit(s, &nop);
	return true;
}

/* --- fences ------------------------------------------------------------------------------------------------------- */

/* fence.proxy.*, fence.mbarrier_init, fence.*.sync_restrict, membar.proxy. There is one proxy here, for the generic one
 * is the only one that accesses anything: those that order proxies wait for nothing. They stay where they are among
 * other instructions. A fence of tensormap accesses, and a restricted one, is a fence of its scope. */
bool lower_fence(struct stmt *s)
{
	static const char *const words[] = {"proxy",
	                                    "alias",
	                                    "async",
	                                    "global",
	                                    "shared::cta",
	                                    "shared::cluster",
	                                    "mbarrier_init",
	                                    "tensormap::generic",
	                                    "sync_restrict::shared::cluster",
	                                    "sync_restrict::shared::cta",
	                                    "acquire",
	                                    "release",
	                                    "acq_rel",
	                                    "sc",
	                                    "cta",
	                                    "cluster",
	                                    "gpu",
	                                    "gl",
	                                    "sys",
	                                    NULL};
	const bool tensormap = has_word(s, "tensormap::generic"), acquire = has_word(s, "acquire");
	const bool proxy = has_word(s, "proxy"), init = has_word(s, "mbarrier_init");
	const bool scope =
	    has_word(s, "cta") || has_word(s, "cluster") || has_word(s, "gpu") || has_word(s, "sys") || has_word(s, "gl");
	const bool restricted = has_word(s, "sync_restrict::shared::cluster") || has_word(s, "sync_restrict::shared::cta");
	if (!proxy && !init && !restricted)
		return lower_membar(s);
	if (!known_words(s, words))
		return false;
	const bool kind = tensormap || has_word(s, "alias") || has_word(s, "async");
	if ((proxy && !kind) || ((init || restricted || tensormap) && !scope))
		return ld_fail(s->ld, &s->op, "'%s' lacks a modifier that says what to do", NAME(s));
	const u32 n = tensormap && acquire ? 2 : 0;
	if (!want_args(s, n, n))
		return false;
	if (n && (s->arg[0].kind != A_ADDR || s->arg[1].kind != A_INT || s->arg[1].ival != 128))
		return ld_fail(s->ld, &s->arg[0].at, "'%s' needs an address in brackets and a size of 128", NAME(s));
	s->in.mode = tensormap ? (has_word(s, "sys") ? 2 : has_word(s, "cta") ? 0 : 1) : restricted ? 0 : FENCE_WAITS_NOT;
	s->in.cmp = has_word(s, "alias") ? 70 : 90;
	emit(s, &s->in);
	return true;
}

/* griddepcontrol.launch_dependents; griddepcontrol.wait: sm/griddep.h. No lane's values change. */
bool lower_griddep(struct stmt *s)
{
	if (s->nmods != 1 || (!has_word(s, "wait") && !has_word(s, "launch_dependents")))
		return ld_fail(s->ld, &s->op, "'%s' needs .wait or .launch_dependents", NAME(s));
	if (!want_args(s, 0, 0))
		return false;
	s->in.cmp = 90;
	s->in.mode = has_word(s, "wait");
	emit(s, &s->in);
	return true;
}

/* prefetch{.space}.level [a]; prefetch{.param}.tensormap [a]: descriptors have no cache of their own here. */
bool lower_prefetch_any(struct stmt *s)
{
	static const char *const words[] = {"tensormap", "param", "const", "global", NULL};
	if (!has_word(s, "tensormap")) {
		const bool local = s->in.space == SPC_LOCAL;
		if (!local)
			return lower_prefetch(s);
		if (!want_args(s, 1, 1) || !lower_address(s, &s->arg[0]))
			return false;
	} else if (!known_words(s, words) || !want_args(s, 1, 1)) {
		return false;
	} else if (s->arg[0].kind != A_ADDR) {
		return ld_fail(s->ld, &s->arg[0].at, "'%s' needs an address in brackets here", NAME(s));
	}
	struct inst nop = inst_init(OP_NOP, T_NONE);
	emit(s, &nop);
	return true;
}
