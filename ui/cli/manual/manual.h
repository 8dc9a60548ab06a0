/* manual: `warpdbg help [TOPIC]`, and the manual page (`--format man`), which is the topics one after the other. */
#ifndef UI_CLI_MANUAL_MANUAL_H
#define UI_CLI_MANUAL_MANUAL_H
#include "base/page.h"
#include "session/cmdline.h"

/* False with *e: there is nothing of that name; what is near it. */
bool manual_help(const struct options *o, const char *version, struct strbuf *out, struct err *e);

/* The script by which a shell, bash or zsh, completes the program's command line. */
bool manual_completion(const char *shell, struct strbuf *out, struct err *e);

/* A topic writes its text, without the heading (topics.c). */
typedef void topic_fn(struct page *p);
struct topic {
	const char *name, *heading, *help;
	topic_fn *write;
};
extern const struct topic manual_topics[];
extern const u32 manual_ntopics;
/* One row of a topic's table; the topics write all of theirs with these. */
void manual_program(struct page *p, u32 command);
void manual_option(struct page *p, u32 option);
void manual_console(struct page *p, u32 command);
void manual_info(struct page *p, u32 topic);
#endif
