#include "session/app/host_calls.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "ir/ir.h"
#include "session/app/source_line.h"

/* --- the file that is mapped there ---------------------------------------------------------------------------------- */

struct image {
	const u8 *bytes;
	u64 size;
	char path[4096];
	u64 at; /* the address, as an offset in the file */
};

static bool within(const struct image *m, u64 at, u64 n)
{
	return at <= m->size && n <= m->size - at;
}

/* A line of maps: "BEGIN-END PERMISSIONS OFFSET DEVICE INODE    PATH". */
static bool find_mapping(s32 pid, u64 address, struct image *m)
{
	char name[64], line[4400];
	snprintf(name, sizeof name, "/proc/%d/maps", pid);
	FILE *f = fopen(name, "re");
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f)) {
		unsigned long long begin, end, offset;
		int path = 0;
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &begin, &end, &offset, &path) != 3 || address < begin ||
		    address >= end || line[path] != '/')
			continue;
		line[strcspn(line, "\n")] = 0;
		m->at = address - begin + offset;
		found = snprintf(m->path, sizeof m->path, "%s", line + path) < (int)sizeof m->path;
	}
	if (f)
		fclose(f);
	return found;
}

static bool map_file(struct image *m)
{
	struct stat st;
	const int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	m->size = !fstat(fd, &st) && S_ISREG(st.st_mode) ? (u64)st.st_size : 0;
	m->bytes = m->size ? mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	return m->bytes != MAP_FAILED;
}

/* --- its function ----------------------------------------------------------------------------------------------------- */

static bool is_elf(const struct image *m)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)m->bytes;
	return m->size >= sizeof *h && !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff % 8 == 0 &&
	       within(m, h->e_shoff, (u64)h->e_shnum * sizeof(Elf64_Shdr)) && h->e_phentsize == sizeof(Elf64_Phdr) &&
	       h->e_phoff % 8 == 0 && within(m, h->e_phoff, (u64)h->e_phnum * sizeof(Elf64_Phdr));
}

/* The address that the file means. */
static u64 linked_address(const struct image *m)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)m->bytes;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(m->bytes + h->e_phoff);
	for (u32 i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && m->at >= p[i].p_offset && m->at - p[i].p_offset < p[i].p_filesz)
			return p[i].p_vaddr + (m->at - p[i].p_offset);
	return m->at;
}

/* The function of a symbol table that has the address; NULL: none. */
static const char *look_in(const struct image *m, const Elf64_Shdr *s, const Elf64_Shdr *strings, u64 address,
                           u64 *from)
{
	if (!within(m, s->sh_offset, s->sh_size) || s->sh_offset % 8 || !within(m, strings->sh_offset, strings->sh_size) ||
	    !strings->sh_size || m->bytes[strings->sh_offset + strings->sh_size - 1])
		return NULL;
	const Elf64_Sym *y = (const Elf64_Sym *)(m->bytes + s->sh_offset);
	for (u64 i = 0; i < s->sh_size / sizeof *y; i++)
		if (ELF64_ST_TYPE(y[i].st_info) == STT_FUNC && y[i].st_name < strings->sh_size && address >= y[i].st_value &&
		    address - y[i].st_value < MAX(y[i].st_size, 1u)) {
			*from = address - y[i].st_value;
			return (const char *)m->bytes + strings->sh_offset + y[i].st_name;
		}
	return NULL;
}

static const char *function_at(const struct image *m, u64 *from)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)m->bytes;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(m->bytes + h->e_shoff);
	const u64 address = linked_address(m);
	const char *name = NULL;
	for (u32 i = 0; i < h->e_shnum && !name; i++)
		if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) && s[i].sh_link < h->e_shnum)
			name = look_in(m, &s[i], &s[s[i].sh_link], address, from);
	return name;
}

static bool has_lines(const struct image *m)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)m->bytes;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(m->bytes + h->e_shoff);
	if (h->e_shstrndx >= h->e_shnum || !within(m, s[h->e_shstrndx].sh_offset, s[h->e_shstrndx].sh_size))
		return false;
	const Elf64_Shdr *names = &s[h->e_shstrndx];
	static const char wanted[] = ".debug_line";
	for (u32 i = 0; i < h->e_shnum; i++)
		if (s[i].sh_name < names->sh_size && names->sh_size - s[i].sh_name >= sizeof wanted &&
		    !memcmp(m->bytes + names->sh_offset + s[i].sh_name, wanted, sizeof wanted))
			return true;
	return false;
}

/* --- the text --------------------------------------------------------------------------------------------------------- */

static void add_place(struct strbuf *out, const struct image *m)
{
	const char *slash = strrchr(m->path, '/'), *ident;
	u64 from = m->at;
	size_t n = 0;
	const char *name = is_elf(m) ? function_at(m, &from) : NULL;
	if (name && !func_source_name(name, &ident, &n)) {
		ident = name;
		n = strlen(name);
	}
	if (name) {
		call_texts_name(out, ident, n);
		strbuf_addf(out, "+0x%llx in ", (unsigned long long)from + 1);
		call_texts_name(out, slash + 1, strlen(slash + 1));
	} else {
		call_texts_name(out, slash + 1, strlen(slash + 1));
		strbuf_addf(out, "+0x%llx", (unsigned long long)m->at + 1);
	}
	struct strbuf line = STRBUF_INIT;
	if (is_elf(m) && has_lines(m) && source_line(m->path, linked_address(m), &line))
		strbuf_addf(out, " (%s)", strbuf_str(&line));
	strbuf_release(&line);
}

static char *make_text(s32 pid, u64 address, const char *call)
{
	struct image m = {.bytes = MAP_FAILED};
	struct strbuf out = STRBUF_INIT;
	strbuf_adds(&out, call);
	/* It returns behind the call, which may be its function's last instruction. */
	if (address && find_mapping(pid, address - 1, &m)) {
		strbuf_adds(&out, " from ");
		if (map_file(&m)) {
			add_place(&out, &m);
			munmap((void *)(uintptr_t)m.bytes, m.size);
		} else {
			strbuf_addf(&out, "0x%llx", (unsigned long long)address);
		}
	}
	return out.buf;
}

const char *host_calls_text(struct call_texts *t, s32 pid, u64 address, const char *call)
{
	if (!*call)
		return NULL;
	const u64 place[2] = {(u64)(u32)pid, address},
	          key = hash_bytes(place, sizeof place, hash_bytes(call, strlen(call), 0));
	const char *text = call_texts_find(t, key);
	return text || !call_texts_room(t) ? text : call_texts_keep(t, key, make_text(pid, address, call));
}
