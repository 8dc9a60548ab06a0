/* entries: the library's functions by name. */
#ifndef UI_CUDART_ENTRIES_H
#define UI_CUDART_ENTRIES_H
const void *entry_of(const char *name); /* NULL: there is none */
#endif
