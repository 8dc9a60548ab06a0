/* cta_verbs: pause, resume, halt, drop, save and restore a CTA by hand (gpu/verbs.h). */
#ifndef UI_COMMANDS_CTA_VERBS_H
#define UI_COMMANDS_CTA_VERBS_H
#include "commands/commands.h"
#include "gpu/verbs.h"

/* args: "cta [N] [kernel=K]" and what the verb takes beside. */
bool order_cta(struct debugger *d, enum cta_verb verb, const char *args, struct strbuf *out, struct err *e);
#endif
