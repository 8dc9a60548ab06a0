/* cxx_name: C++ names as the source writes them, out of mangled ones. */
#ifndef IR_CXX_NAME_H
#define IR_CXX_NAME_H
#include "base/base.h"

/* "_ZN2la1kIfLi4EEEvPT_" -> "la::k<float, 4>": with namespaces and a template's arguments, without return type and
 * parameters. The caller frees it; NULL: it is not mangled, or too long to be read. */
char *cxx_name(const char *mangled);
/* Does somebody mean this name? "la::k<float,4>", "k<float, 4>", "la::k" and "k" all mean "la::k<float, 4>": blanks do
 * not count, and namespaces and all of the arguments may be left out. */
bool cxx_named(const char *source, const char *given);
/* Where the last part of a name begins: "k<float, 4>". */
const char *cxx_last_part(const char *source);

/* The C++ library's own (libstdc++, which every system has). Its header, cxxabi.h, is C++. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);
#endif
