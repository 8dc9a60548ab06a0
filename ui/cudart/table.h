/* table: pointers by pointer, for handles and host functions. Open addressing, grows; the caller has the mutex. */
#ifndef UI_CUDART_TABLE_H
#define UI_CUDART_TABLE_H
#include <stdbool.h>
#include <stddef.h>

struct table {
	struct table_entry {
		const void *key; /* NULL: free; TABLE_GONE: was removed */
		void *value;
	} * entries;
	size_t room, used; /* used: with those removed */
};
bool table_put(struct table *t, const void *key, void *value); /* replaces; false: no memory */
void *table_get(const struct table *t, const void *key);       /* NULL: none */
void table_remove(struct table *t, const void *key);
#endif
