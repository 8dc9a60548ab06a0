/* redirect: programs that have NVIDIA's run time inside (nvcc's default). This file is only in the library that is
 * preloaded.
 *
 * Before the program's constructors run, the functions of that run time are looked up in the symbol table of the
 * executable, and each gets a jump to ours at its beginning. A function that we have not gets a jump to a few bytes of
 * code that know its name: it is refused when it is called. */
#include "cudart/entries.h"
#include "cudart/link.h"
#include "cudart/version.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__ || defined __aarch64__
#if defined __x86_64__
/* movabs $target, %rax; jmp *%rax. Variable arguments' count in %al is of no use to these functions. */
enum { JUMP = 12, STUB = 22 };
static void put_jump(unsigned char *at, const void *target)
{
	static const unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
	memcpy(at, code, sizeof code);
	memcpy(at + 2, &target, sizeof target);
}
/* movabs $name, %rdi, and the jump. */
static void put_stub(unsigned char *at, const char *name, const void *target)
{
	at[0] = 0x48;
	at[1] = 0xbf;
	memcpy(at + 2, &name, sizeof name);
	put_jump(at + 10, target);
}
#else
/* ldr x16, 8 further; br x16; the address. */
enum { JUMP = 16, STUB = 32 };
static void put_jump(unsigned char *at, const void *target)
{
	static const uint32_t code[] = {0x58000050, 0xd61f0200};
	memcpy(at, code, sizeof code);
	memcpy(at + 8, &target, sizeof target);
}
/* ldr x0, 16 further; ldr x16, 20 further; br x16; nothing; both addresses. */
static void put_stub(unsigned char *at, const char *name, const void *target)
{
	static const uint32_t code[] = {0x58000080, 0x580000b0, 0xd61f0200, 0xd503201f};
	memcpy(at, code, sizeof code);
	memcpy(at + 16, &name, sizeof name);
	memcpy(at + 24, &target, sizeof target);
}
#endif

static int refused(const char *name)
{
	int failed = enter(name);
	if (failed)
		return failed;
	link_say("the program calls %s, which is not served", name);
	return leave(link_refuse("not known to the library"));
}

struct image {
	const unsigned char *bytes;
	size_t size;
	const Elf64_Shdr *sections;
	unsigned nsections;
	const char *names; /* of sections, ends with a zero byte */
	uint64_t names_bytes, base;
};

static bool within(const struct image *m, uint64_t at, uint64_t bytes)
{
	return at <= m->size && bytes <= m->size - at;
}

static bool open_image(struct image *m)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat s;
	if (fd < 0)
		return false;
	void *bytes = fstat(fd, &s) < 0 || s.st_size < (off_t)sizeof(Elf64_Ehdr)
	                  ? MAP_FAILED
	                  : mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	*m = (struct image){.bytes = bytes, .size = (size_t)s.st_size};
	const Elf64_Ehdr *h = bytes;
	bool good = !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	            h->e_shentsize == sizeof(Elf64_Shdr) &&
	            within(m, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)) && h->e_shstrndx < h->e_shnum;
	if (good) {
		m->sections = (const Elf64_Shdr *)(m->bytes + h->e_shoff);
		m->nsections = h->e_shnum;
		const Elf64_Shdr *names = &m->sections[h->e_shstrndx];
		good = within(m, names->sh_offset, names->sh_size) && names->sh_size &&
		       !m->bytes[names->sh_offset + names->sh_size - 1];
		m->names = (const char *)m->bytes + names->sh_offset;
		m->names_bytes = names->sh_size;
	}
	if (!good)
		munmap(bytes, m->size);
	return good;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *base)
{
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static bool has_section(const struct image *m, const char *name)
{
	for (unsigned i = 0; i < m->nsections; i++)
		if (m->sections[i].sh_name < m->names_bytes && !strcmp(m->names + m->sections[i].sh_name, name))
			return true;
	return false;
}

/* Calls visit for each function of the run time in the executable. Returns how many there are. */
static unsigned each(const struct image *m, void (*visit)(void *, const char *name, unsigned char *at, size_t bytes),
                     void *with)
{
	unsigned n = 0;
	for (unsigned i = 0; i < m->nsections; i++) {
		const Elf64_Shdr *s = &m->sections[i];
		if (s->sh_type != SHT_SYMTAB || s->sh_link >= m->nsections || !within(m, s->sh_offset, s->sh_size))
			continue;
		const Elf64_Shdr *strings = &m->sections[s->sh_link];
		if (!within(m, strings->sh_offset, strings->sh_size) || !strings->sh_size)
			continue;
		const char *text = (const char *)m->bytes + strings->sh_offset;
		if (text[strings->sh_size - 1])
			continue;
		const Elf64_Sym *symbols = (const Elf64_Sym *)(m->bytes + s->sh_offset);
		for (size_t k = 0; k < s->sh_size / sizeof *symbols; k++) {
			const Elf64_Sym *y = &symbols[k];
			if (ELF64_ST_TYPE(y->st_info) != STT_FUNC || y->st_shndx == SHN_UNDEF || y->st_name >= strings->sh_size)
				continue;
			const char *name = text + y->st_name;
			/* C names: a C++ template that calls one begins otherwise. */
			if (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6))
				continue;
			visit(with, name, (unsigned char *)(m->base + y->st_value), y->st_size);
			n++;
		}
	}
	return n;
}

struct found {
	bool second_properties, old_threads, registers;
	unsigned count;
	const unsigned char *first, *last; /* of the functions that we have: the run time is one piece of the program */
};

static void look(void *with, const char *name, unsigned char *at, size_t bytes)
{
	struct found *f = with;
	f->second_properties |= !strcmp(name, "cudaGetDeviceProperties_v2");
	f->old_threads |= !strcmp(name, "cudaThreadSynchronize");
	f->registers |= !strcmp(name, "__cudaRegisterFatBinary");
	f->count++;
	if (strncmp(name, "cuda", 4) || !entry_of(name))
		return;
	if (!f->first || at < f->first)
		f->first = at;
	if (at > f->last)
		f->last = at;
}

struct work {
	unsigned char *stubs, *end;
	const unsigned char *first, *last;
	unsigned failed;
};

static bool write_code(unsigned char *at, const void *target)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
	size_t bytes = ((uintptr_t)at + JUMP - from + page - 1) & ~(page - 1);
	if (mprotect((void *)from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	put_jump(at, target);
	__builtin___clear_cache((char *)at, (char *)at + JUMP);
	return mprotect((void *)from, bytes, PROT_READ | PROT_EXEC) == 0;
}

/* A short function is followed by padding up to the next one, at a multiple of 16. */
static bool has_room(const unsigned char *at, size_t bytes)
{
	if (bytes >= JUMP)
		return true;
#if defined __x86_64__
	const unsigned char pad = at[bytes]; /* the first byte of a nop or int3 of any length */
	return bytes && (uintptr_t)at % 16 == 0 && JUMP <= 16 && (pad == 0x90 || pad == 0x66 || pad == 0x0f || pad == 0xcc);
#else
	return false;
#endif
}

static void redirect(void *with, const char *name, unsigned char *at, size_t bytes)
{
	struct work *w = with;
	const void *target = entry_of(name);
	/* A function of the program's own whose name begins as CUDA's do. */
	if (!target && (at < w->first || at > w->last))
		return;
	if (!has_room(at, bytes)) { /* of those that we lack it may do what it does: next to nothing */
		w->failed += target != NULL;
		return;
	}
	if (!target && w->stubs + STUB <= w->end) {
		char *kept = strdup(name);
		if (kept) {
			put_stub(w->stubs, kept, (const void *)refused);
			target = w->stubs;
			w->stubs += STUB;
		}
	}
	if (!target || !write_code(at, target))
		w->failed++;
}

__attribute__((constructor(101))) static void redirect_run_time(void)
{
	struct image m;
	struct found f = {0};
	if (getenv(WIRE_LINES))
		setvbuf(stdout, NULL, _IOLBF, 0);
	if (!getenv(WIRE_VARIABLE) || !open_image(&m))
		return;
	dl_iterate_phdr(first_object, &m.base);
	if (((const Elf64_Ehdr *)m.bytes)->e_type == ET_EXEC)
		m.base = 0;
	unsigned n = each(&m, look, &f);
	if (!n || !f.registers) {
		/* Linked with the shared run time, or no CUDA program at all, or one without its symbols. */
		if (has_section(&m, ".nv_fatbin") && !dlsym(RTLD_DEFAULT, "__cudaRegisterFatBinary"))
			link_say(
			    "this program has CUDA's run time inside and no symbol table, so that its calls cannot be found. Link it with "
			    "nvcc -cudart shared, or do not strip it");
		munmap((void *)m.bytes, m.size);
		return;
	}
	cudart_set_version(f.second_properties ? 12 : f.old_threads ? 11 : 13);
	size_t room = (size_t)f.count * STUB;
	unsigned char *stubs = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct work w = {.first = f.first, .last = f.last};
	if (stubs != MAP_FAILED) {
		w.stubs = stubs;
		w.end = stubs + room;
	}
	each(&m, redirect, &w);
	if (stubs != MAP_FAILED) {
		mprotect(stubs, room, PROT_READ | PROT_EXEC);
		__builtin___clear_cache((char *)stubs, (char *)stubs + room);
	}
	if (w.failed)
		link_say("%u of %u functions of the run time inside the program could not be redirected", w.failed, n);
	munmap((void *)m.bytes, m.size);
}
#endif
