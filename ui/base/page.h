/* page: a text of headings, paragraphs, terms and examples, written for a terminal or as the source of a manual page
 * (roff with the macros of man(7)). Text between backquotes is code: bold in a manual page. */
#ifndef UI_BASE_PAGE_H
#define UI_BASE_PAGE_H
#include "base/strbuf.h"

struct page {
	struct strbuf *out;
	bool roff;
};
/* The head of a manual page; nothing on a terminal. */
void page_head(struct page *p, const char *name, const char *version, const char *what);
void page_heading(struct page *p, const char *text); /* written as given; "OPTIONS" */
void page_part(struct page *p, const char *text);    /* a heading within one */
void page_text(struct page *p, const char *text);    /* a paragraph, filled */
void page_lines(struct page *p, const char *text);   /* as they are */
/* A term and what it means; also = other names of it, "" = none. */
void page_term(struct page *p, const char *term, const char *also, const char *text);
#endif
