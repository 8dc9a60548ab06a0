/* catalog_rig: the names of all workloads and machines, for tests that go through them. Behind cmocka.h; find_files and
 * release_files are a group's set-up and tear-down. */
#ifndef TESTS_RIG_CATALOG_RIG_H
#define TESTS_RIG_CATALOG_RIG_H
#include <stdlib.h>

#include "session/catalog.h"

static struct file_names workloads, machines;

static int find_files(void **state)
{
	struct err e = {0};
	char *dir = catalog_data_dir(&e);
	if (!dir) {
		print_error("%s\n", e.msg);
		return -1;
	}
	workloads = catalog_names(dir, "scripts/workloads");
	machines = catalog_names(dir, "configs/gpus");
	free(dir);
	return 0;
}

static int release_files(void **state)
{
	catalog_release(&workloads);
	catalog_release(&machines);
	return 0;
}
#endif
