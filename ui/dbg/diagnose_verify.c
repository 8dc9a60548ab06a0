/* The test of a finding, run, and its gain beside the bound. */
#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/words.h"
#include "base/wrap.h"
#include "dbg/diagnose.h"
#include "dbg/whatif.h"

/* Takes "whatif SETTINGS from CYCLE REST" apart; false: it is no such line. */
static bool whatif_line(const char *test, struct strbuf *rest, u64 *from)
{
	char word[2048];
	bool any = false;
	const char *p = next_word(test, word, sizeof word);
	if (!p || strcmp(word, "whatif") != 0)
		return false;
	while ((p = next_word(p, word, sizeof word))) {
		if (!strcmp(word, "from")) {
			p = next_word(p, word, sizeof word);
			if (!p || !(any = word_number(word, from)))
				return false;
			continue;
		}
		strbuf_addf(rest, "%s%s", rest->len ? " " : "", word);
	}
	return any;
}

/* The fastest of the rows that are not the machine as it is; -1: none was run to its end. */
static s32 best_other(const struct whatif *w)
{
	s32 best = -1;
	for (u32 i = 1; i < w->nrows; i++)
		if (isfinite(whatif_speed(w, i, false)) &&
		    (best < 0 || whatif_speed(w, i, false) > whatif_speed(w, (u32)best, false)))
			best = (s32)i;
	return best;
}

static void say_gain(const struct whatif *w, u32 row, const struct diagnosis *of, const struct finding *f,
                     struct strbuf *out)
{
	struct strbuf options = STRBUF_INIT, line = STRBUF_INIT;
	char bound[GROUPED_MAX], saved[GROUPED_MAX];
	const double speed = whatif_speed(w, row, false);
	/* Of the whole run's cycles up to where row 0 stands: a launch's bound is in the same unit. */
	const double slots = (double)of->slots / (double)MAX(of->to - of->from, 1ull) * (double)w->row[0].news.cycle;
	const double gain = slots * (1 - 1 / speed), most = f->slots;
	whatif_options(w, row, &options);
	strbuf_addf(&line,
	            "measured with %s: %s%s issue slots (%.1f %% of the run; speed %.3f). The bound is %s (%.1f %%)%s.",
	            strbuf_str(&options), gain < 0 ? "a loss of " : "a gain of ", grouped((u64)fabs(gain), saved),
	            100 * fabs(1 - 1 / speed), speed, grouped((u64)most, bound), 100 * most / slots,
	            gain > most ? ", which the test exceeds: the setting also mends something else" : "");
	strbuf_adds(out, "   ");
	text_wrap(strbuf_str(&line), 3, WRAP_WIDTH, out);
	strbuf_release(&line);
	strbuf_release(&options);
}

bool diagnosis_verify(struct debugger *d, const struct diagnosis *of, u32 i, struct strbuf *out, struct err *e)
{
	const struct finding *f = &of->finding[i];
	struct strbuf settings = STRBUF_INIT;
	u64 from = 0;
	strbuf_addf(out, "%u. ", i + 1);
	text_wrap(f->title, 3, WRAP_WIDTH, out);
	if (!whatif_line(f->test, &settings, &from)) {
		strbuf_addf(out, "   No setting of the machine tests this. Look at: %s\n", f->test);
		strbuf_release(&settings);
		return true;
	}
	strbuf_addf(out, "   test: %s\n", f->test);
	const bool ok = whatif_elsewhere(d, from, strbuf_str(&settings), e);
	const s32 row = ok ? best_other(d->whatif) : -1;
	if (row >= 0)
		say_gain(d->whatif, (u32)row, of, f, out);
	else if (ok)
		strbuf_addf(out, "   It could not be run: %s\n",
		            d->whatif->nrows > 1 ? d->whatif->row[1].why : "the machine has that setting already");
	strbuf_release(&settings);
	return ok;
}
