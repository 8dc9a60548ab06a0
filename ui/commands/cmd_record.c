/* record: events as JSON lines */
#include <inttypes.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"

static bool start(struct debugger *d, const char *args, struct err *e)
{
	char file[512], word[64];
	event_set mask = 0;
	args = next_file(args, file, sizeof(file), e);
	if (!args)
		return err_set(e, "record start: a file is expected");
	if (!may_use_files(d, "record start", e))
		return false;
	while ((args = next_word(args, word, sizeof(word)))) {
		int t = event_find(word);
		if (t < 0)
			return err_set(e, "record start: there is no event '%s' (`info events` lists them)", word);
		mask |= EVENT(t);
	}
	if (d->record)
		return err_set(e, "record start: a recording is under way (`record stop` ends it)");
	struct err why = {0};
	if (!record_start(d, file, mask ? mask : EVENTS_ALL, &why))
		return err_set(e, "record start: %s", why.msg);
	debugger_resubscribe(d);
	return true;
}

bool cmd_record(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[16];
	const char *rest = next_word(args, word, sizeof(word));
	if (rest && !strcmp(word, "start"))
		return start(d, rest, e);
	if (!rest || strcmp(word, "stop") || *rest)
		return err_set(e, "record: `record start FILE [EVENT...]` or `record stop` is expected");
	if (!d->record)
		return err_set(e, "record stop: nothing is being recorded");
	struct err why = {0};
	u64 written = record_written(d);
	bool ok = record_stop(d, &why);
	debugger_resubscribe(d);
	strbuf_addf(out, "%" PRIu64 " event%s recorded\n", written, plural(written));
	return ok || err_set(e, "record stop: %s", why.msg);
}
