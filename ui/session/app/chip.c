#include "session/app/chip.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/app/fatbin.h"

struct image {
	const u8 *bytes;
	u64 size;
};

static bool within(const struct image *m, u64 at, u64 n)
{
	return at <= m->size && n <= m->size - at;
}

/* The newest PTX of a section of fat binaries. Of what is damaged nothing counts. */
static u32 newest_ptx(const u8 *bytes, u64 n)
{
	struct fatbin f;
	u32 newest = 0;
	if (!fatbin_read(&f, "", bytes, n, NULL))
		return 0;
	for (u32 i = 0; i < f.n; i++)
		if (f.m[i].kind == FATBIN_PTX)
			newest = MAX(newest, f.m[i].sm);
	fatbin_release(&f);
	return newest;
}

static u32 look(const struct image *m)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)m->bytes;
	u32 newest = 0;
	if (m->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_shoff % 8 || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum ||
	    !within(m, h->e_shoff, (u64)h->e_shnum * sizeof(Elf64_Shdr)))
		return 0;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(m->bytes + h->e_shoff), *names = &s[h->e_shstrndx];
	for (u32 i = 0; i < h->e_shnum; i++) {
		static const char *const wanted[] = {".nv_fatbin", "__nv_relfatbin"};
		for (u32 k = 0; k < ARRAY_LEN(wanted); k++) {
			const u64 at = names->sh_offset + s[i].sh_name, len = strlen(wanted[k]) + 1;
			if (s[i].sh_type == SHT_PROGBITS && within(m, at, len) && !memcmp(m->bytes + at, wanted[k], len) &&
			    within(m, s[i].sh_offset, s[i].sh_size))
				newest = MAX(newest, newest_ptx(m->bytes + s[i].sh_offset, s[i].sh_size));
		}
	}
	return newest;
}

/* As execvp() finds it. */
static int open_program(const char *name)
{
	const char *path = getenv("PATH");
	int fd = strchr(name, '/') || !path ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (strchr(name, '/') || !path)
		return fd;
	char *all = xstrdup(path), *save = NULL;
	for (char *dir = strtok_r(all, ":", &save); dir && fd < 0; dir = strtok_r(NULL, ":", &save)) {
		struct strbuf file = STRBUF_INIT;
		strbuf_addf(&file, "%s/%s", dir, name);
		if (!access(file.buf, X_OK))
			fd = open(file.buf, O_RDONLY | O_CLOEXEC);
		strbuf_release(&file);
	}
	free(all);
	return fd;
}

u32 chip_of_file(const char *path)
{
	const int fd = open_program(path);
	struct stat st;
	u32 found = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		const struct image m = {mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0), (u64)st.st_size};
		if (m.bytes != MAP_FAILED) {
			found = look(&m);
			munmap((void *)(uintptr_t)m.bytes, m.size);
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

const char *chip_machine(u32 capability)
{
	static const struct {
		u32 up_to;
		const char *machine;
	} machines[] = {{29, "gtx480"}, {49, "kepler"},  {69, "gtx980"},  {72, "v100"}, {75, "rtx2060"},
	                {80, "a100"},   {88, "rtx3080"}, {89, "rtx4090"}, {999, "h200"}};
	u32 i = 0;
	while (capability > machines[i].up_to)
		i++;
	return capability ? machines[i].machine : "rtx2060"; /* nvcc 13's own choice is sm_75 */
}
