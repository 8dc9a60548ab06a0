/* source_line: the line of a host program that an address of its file comes from, by binutils' addr2line. */
#ifndef UI_SESSION_APP_SOURCE_LINE_H
#define UI_SESSION_APP_SOURCE_LINE_H
#include "base/strbuf.h"

/* Appends "FILE:LINE", the file without its folders, for an address as the linker has given it. False, and nothing is
 * appended: there is no addr2line, it does not know the line, or it does not answer within some seconds. */
bool source_line(const char *path, u64 address, struct strbuf *out);
#endif
