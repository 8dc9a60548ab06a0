/* catalog: the contents of the data directory (machines, workloads), and "did you mean" over it. */
#ifndef UI_SESSION_CATALOG_H
#define UI_SESSION_CATALOG_H
#include "base/err.h"
#include "base/base.h"

/* The directory that holds configs/ and scripts/: beside the program, ../share/warpdbg, or the working directory. To be
 * freed; NULL with *e. */
char *catalog_data_dir(struct err *e);

struct file_names {
	char **name; /* sorted */
	u32 n;
};
/* The files of data_dir/sub that end in .lua, without the ending. An unreadable directory gives none. */
struct file_names catalog_names(const char *data_dir, const char *sub);
/* The same, and behind them those of the folders in data_dir/sub, as FOLDER/NAME: tensor/hgemm. Folders called lib have
 * what scripts share, and are left out. */
struct file_names catalog_all_names(const char *data_dir, const char *sub);
void catalog_release(struct file_names *n);
/* Path of data_dir/sub/name.lua (name may have a folder: concurrent/pair), or name itself when it looks like a file, a
 * slash or an ending .lua. To be freed.
 * NULL with *e = "no WHAT 'name' (did you mean ...?); there are: ...". */
char *catalog_path(const char *data_dir, const char *sub, const char *name, const char *what, struct err *e);
#endif
