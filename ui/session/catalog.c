#include "session/catalog.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "conf/conf.h"
#include "base/plain.h"

static bool is_dir(const char *dir, const char *sub)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	strbuf_addf(&path, "%s/%s", dir, sub);
	bool yes = !stat(path.buf, &st) && S_ISDIR(st.st_mode);
	strbuf_release(&path);
	return yes;
}

static bool is_data_dir(const char *dir)
{
	return is_dir(dir, "configs/gpus") && is_dir(dir, "scripts/workloads");
}

char *catalog_data_dir(struct err *e)
{
	static const char *const near[] = {"", "/../share/warpdbg"};
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = 0;
		*strrchr(exe, '/') = 0;
	}
	for (u32 i = 0; n > 0 && i < ARRAY_LEN(near); i++) {
		struct strbuf dir = STRBUF_INIT;
		strbuf_addf(&dir, "%s%s", exe, near[i]);
		if (is_data_dir(dir.buf))
			return dir.buf;
		strbuf_release(&dir);
	}
	if (is_data_dir("."))
		return xstrdup(".");
	err_set(e, "cannot find configs/ and scripts/: they belong beside the program (%s) or into ../share/warpdbg",
	        n > 0 ? exe : "whose place is unknown");
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct file_names *n, char *name)
{
	n->name = xrealloc(n->name, (n->n + 1) * sizeof *n->name);
	n->name[n->n++] = name;
}

/* The entries of data_dir/sub that end in `ending`, without it. */
static struct file_names entries(const char *data_dir, const char *sub, const char *ending)
{
	struct file_names out = {0};
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/%s", data_dir, sub);
	DIR *dir = opendir(path.buf);
	const size_t behind = strlen(ending);
	struct dirent *d;
	while (dir && (d = readdir(dir))) {
		const size_t len = strlen(d->d_name);
		if (len > behind && !strcmp(d->d_name + len - behind, ending) && d->d_name[0] != '.')
			add_name(&out, xstrndup(d->d_name, len - behind));
	}
	if (dir)
		closedir(dir);
	if (out.n)
		qsort(out.name, out.n, sizeof *out.name, by_name);
	strbuf_release(&path);
	return out;
}

struct file_names catalog_names(const char *data_dir, const char *sub)
{
	return entries(data_dir, sub, ".lua");
}

static void add_folder(struct file_names *all, const char *data_dir, const char *sub, const char *folder)
{
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/%s", sub, folder);
	if (strcmp(folder, "lib") != 0 && is_dir(data_dir, path.buf)) {
		struct file_names in = catalog_names(data_dir, path.buf);
		for (u32 i = 0; i < in.n; i++) {
			struct strbuf name = STRBUF_INIT;
			strbuf_addf(&name, "%s/%s", folder, in.name[i]);
			add_name(all, name.buf);
		}
		catalog_release(&in);
	}
	strbuf_release(&path);
}

struct file_names catalog_all_names(const char *data_dir, const char *sub)
{
	struct file_names all = catalog_names(data_dir, sub), in = entries(data_dir, sub, "");
	for (u32 i = 0; i < in.n; i++)
		add_folder(&all, data_dir, sub, in.name[i]);
	catalog_release(&in);
	return all;
}

void catalog_release(struct file_names *n)
{
	for (u32 i = 0; i < n->n; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct file_names){0};
}

static void no_such(const char *data_dir, const char *sub, const char *name, const char *what, struct err *e)
{
	struct file_names all = catalog_all_names(data_dir, sub);
	struct strbuf list = STRBUF_INIT;
	const char *near = conf_nearest(name, (const char *const *)all.name, all.n);
	for (u32 i = 0; i < all.n; i++) {
		const char *slash = strchr(all.name[i], '/');
		if (slash && !strcmp(slash + 1, name))
			near = all.name[i];
		strbuf_addf(&list, "%s%s", i ? " " : "", all.name[i]);
	}
	if (near)
		err_set(e, "no %s '%s' (did you mean '%s'?); there are: %s", what, name, near, strbuf_str(&list));
	else
		err_set(e, "no %s '%s'; there are: %s", what, name, strbuf_str(&list));
	strbuf_release(&list);
	catalog_release(&all);
}

char *catalog_path(const char *data_dir, const char *sub, const char *name, const char *what, struct err *e)
{
	const char *dot = strrchr(name, '.');
	const bool file = dot && !strcmp(dot, ".lua");
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/%s/%s.lua", data_dir, sub, name);
	if (!file && !access(path.buf, F_OK))
		return path.buf; /* perhaps of a folder: concurrent/pair */
	strbuf_clear(&path);
	strbuf_addf(&path, "%s/%s/%s", data_dir, sub, name);
	if (file && access(name, F_OK) && !access(path.buf, F_OK))
		return path.buf; /* its file's name, as `ls` shows it */
	strbuf_release(&path);
	if (file || strchr(name, '/'))
		return xstrdup(name);
	no_such(data_dir, sub, name, what, e);
	return NULL;
}
