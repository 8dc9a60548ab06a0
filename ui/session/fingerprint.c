#include "session/fingerprint.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"

#define FNV_BASIS 0xcbf29ce484222325ull

static u64 hash_bytes(u64 h, const void *data, size_t n)
{
	const u8 *p = data;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

u64 fingerprint_text(u64 h, const char *s)
{
	return hash_bytes(h, s, strlen(s) + 1); /* with its end: "a" "bc" is not "ab" "c" */
}

static bool hash_file(u64 *h, const char *path, struct err *e)
{
	struct strbuf sb = STRBUF_INIT;
	bool ok = strbuf_read_file(&sb, path, e);
	if (ok)
		*h = hash_bytes(*h, strbuf_str(&sb), sb.len);
	strbuf_release(&sb);
	return ok;
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name); /* whatever the locale */
}

static bool hash_dir(u64 *h, const char *path, struct err *e)
{
	struct dirent **all;
	int n = scandir(path, &all, visible, by_name);
	bool ok = n >= 0 || err_set(e, "%s: cannot read the directory", path);
	for (int i = 0; i < n; i++) {
		struct strbuf sub = STRBUF_INIT;
		struct stat st;
		strbuf_addf(&sub, "%s/%s", path, all[i]->d_name);
		*h = fingerprint_text(*h, all[i]->d_name);
		if (ok && !stat(sub.buf, &st)) /* gone meanwhile: then it is no part of the data */
			ok = S_ISDIR(st.st_mode) ? hash_dir(h, sub.buf, e) : hash_file(h, sub.buf, e);
		strbuf_release(&sub);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
	return ok;
}

bool fingerprint_of_data(u64 *h, const char *data_dir, struct err *e)
{
	static const char *const data[] = {"configs/gpus", "configs/kernels", "scripts/workloads", "scripts/inspect",
	                                   "scripts/diagnose"};
	*h = FNV_BASIS;
	bool ok = hash_file(h, "/proc/self/exe", e);
	for (u32 i = 0; ok && i < ARRAY_LEN(data); i++) {
		struct strbuf sub = STRBUF_INIT;
		strbuf_addf(&sub, "%s/%s", data_dir, data[i]);
		ok = hash_dir(h, sub.buf, e);
		strbuf_release(&sub);
	}
	return ok;
}

u64 fingerprint_own_file(u64 h, const char *word)
{
	const char *dot = strrchr(word, '.');
	bool file = strchr(word, '/') || (dot && (!strcmp(dot, ".lua") || !strcmp(dot, ".ptx")));
	if (file)
		hash_file(&h, word, NULL); /* unreadable: the run itself says so */
	return h;
}
