/* txq, suq, istypep. */
#include "front/ptx/executor/texture_query.h"
#include "front/ptx/reader/lower.h"

static const struct {
	const char *word;
	enum texture_query query;
	bool texture, surface, level; /* which of txq, suq and txq.level have it */
} queries[] = {{"width", TQ_WIDTH, true, true, true},
               {"height", TQ_HEIGHT, true, true, true},
               {"depth", TQ_DEPTH, true, true, true},
               {"channel_data_type", TQ_CHANNEL_DATA_TYPE, true, true, false},
               {"channel_order", TQ_CHANNEL_ORDER, true, true, false},
               {"normalized_coords", TQ_NORMALIZED_COORDS, true, false, false},
               {"array_size", TQ_ARRAY_SIZE, true, true, false},
               {"num_mipmap_levels", TQ_MIPMAP_LEVELS, true, false, false},
               {"num_samples", TQ_SAMPLES, true, false, false},
               {"memory_layout", TQ_MEMORY_LAYOUT, false, true, false}};

/* txq.query.b32 d, [a]; txq.level.query.b32 d, [a], level; suq.query.b32 d, [a]. Textures have one level here, so the
 * level is checked and left out. */
bool lower_query(struct stmt *s)
{
	const bool surface = tok_is_name(&s->op, "suq");
	bool level = false, b32 = false, found = false;
	for (u32 i = 0; i < s->nmods; i++) {
		const struct token *t = &s->mod[i];
		bool known = false;
		for (u32 k = 0; k < ARRAY_LEN(queries) && !known; k++) {
			known = tok_is_mod(t, queries[k].word) && (surface ? queries[k].surface : queries[k].texture) &&
			        (!level || queries[k].level) && !found;
			s->in.mode = known ? (u8)queries[k].query : s->in.mode;
		}
		found |= known;
		level |= !surface && tok_is_mod(t, "level");
		b32 |= tok_is_mod(t, "b32");
		if (!known && !tok_is_mod(t, "b32") && (surface || !tok_is_mod(t, "level")))
			return ld_unsupported(s->ld, t, "'%s' is not supported ('%s' does not know '%s')", NAME(s), s->form->name,
			                      TEXT(t));
	}
	if (!found || !b32)
		return ld_fail(s->ld, &s->op, "'%s' needs what to ask for, and type .b32", NAME(s));
	opnd unused;
	s->in.op = OP_TXQ;
	s->in.type = T_B32;
	s->in.geom = surface ? TQ_SURFACE : TQ_TEXTURE;
	if (!want_args(s, 2 + level, 2 + level) || !lower_dst(s, &s->arg[0], T_B32, W_EXACT, &s->in.d[0]) ||
	    (level && !lower_src(s, &s->arg[2], T_B32, W_EXACT, &unused)))
		return false;
	if (s->arg[1].kind != A_ADDR || s->arg[1].nelems)
		return ld_fail(s->ld, &s->arg[1].at, "'%s' needs a %s in brackets here", NAME(s),
		               surface ? "surface" : "texture");
	if (surface && s->arg[1].base != A_REG)
		return ld_unsupported(s->ld, &s->arg[1].at, "surface reference '%s' is not supported, only surface objects are",
		                      TEXT(&s->arg[1].at));
	if (!lower_texture(s, &s->arg[1]))
		return false;
	emit(s, &s->in);
	return true;
}

/* istypep.texref p, a; .samplerref, .surfref */
bool lower_istypep(struct stmt *s)
{
	static const char *const kinds[] = {[TQ_TEXTURE] = "texref", [TQ_SURFACE] = "surfref", [TQ_SAMPLER] = "samplerref"};
	u32 k = 0;
	while (k < ARRAY_LEN(kinds) && !(s->nmods == 1 && tok_is_mod(&s->mod[0], kinds[k])))
		k++;
	if (k == ARRAY_LEN(kinds))
		return ld_fail(s->ld, &s->op, "'%s' needs .texref, .samplerref or .surfref", NAME(s));
	s->in.type = T_B64;
	s->in.geom = (u8)k;
	if (!want_args(s, 2, 2) || !lower_dst(s, &s->arg[0], T_PRED, W_EXACT, &s->in.d[0]) ||
	    !lower_src(s, &s->arg[1], T_B64, W_EXACT, &s->in.s[0]))
		return false;
	emit(s, &s->in);
	return true;
}
