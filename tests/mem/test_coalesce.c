/* Coalescing and shared memory bank conflicts against the rules worked out by hand. */
#include "tests/rig/mem_rig.h"

static struct conf conf;

static struct dyninst access(u64 base, s64 stride, u32 bytes)
{
	struct dyninst d = {.mask = ~0u, .active = ~0u, .space = SPC_GLOBAL, .bytes = (u8)bytes};
	for (u32 l = 0; l < WARP_SIZE; l++)
		d.addr[l] = base + (u64)((s64)l * stride);
	return d;
}

static u32 count(struct dyninst d, bool sectored, struct mem_txn *out)
{
	static struct mem_txn spare[MEM_TXN_MAX];
	conf_defaults(&conf);
	conf.coalesce = sectored ? COALESCE_SECTOR32 : COALESCE_LINE128;
	out = out ? out : spare;
	u32 n = mem_coalesce(&conf, &d, MC_L1D, out);
	if (d.space != SPC_LOCAL && conf.l1d_line <= 128)
		mem_coalesce_words(&conf, &d, out, n);
	return n;
}

static void strides(void **s)
{
	for (u32 words = 0; words <= 32; words++) {
		u32 lines = MAX((31 * words * 4 + 4 + 127) / 128, 1);
		assert_int_equal(count(access(BASE, words * 4, 4), false, NULL), MIN(lines, 32));
	}
	for (u32 i = 1; i <= 32; i++) /* i lanes in lines of their own, the others with lane 0 */
	{
		struct dyninst d = access(BASE, 0, 4);
		for (u32 l = 1; l < i; l++)
			d.addr[l] = BASE + l * 4096;
		assert_int_equal(count(d, false, NULL), i);
	}
}

static void words_and_order(void **s)
{
	struct mem_txn t[MEM_TXN_MAX];
	struct dyninst d = access(BASE + 31 * 128, -128, 4);
	d.mask = 0xf0f0f0f0;
	assert_int_equal(count(d, false, t), 16);
	assert_int_equal(t[0].addr, BASE + 27 * 128); /* lane 4 is the first */
	for (u32 i = 0; i < 16; i++)
		assert_int_equal(t[i].words, 1);
	d = access(BASE + 8, 12, 4); /* every third word, over three lines */
	assert_int_equal(count(d, false, t), 3);
	assert_int_equal(t[0].words, 0x24924924);
	assert_int_equal(t[1].words, 0x49249249);
	d = access(BASE + 2, 0, 4); /* parts of two words */
	assert_int_equal(count(d, true, t), 1);
	assert_int_equal(t[0].words, 3);
	d.mask = 0;
	assert_int_equal(count(d, false, t), 0);
}

static void misaligned_and_wide(void **s)
{
	struct mem_txn t[MEM_TXN_MAX];
	assert_int_equal(count(access(BASE + 4, 4, 4), false, t), 2);
	assert_int_equal(t[0].sectors, 0xf);
	assert_int_equal(t[1].sectors, 1);
	assert_int_equal(t[0].words, ~1u);
	assert_int_equal(t[1].words, 1);
	assert_int_equal(count(access(BASE, 8, 8), false, t), 2);
	assert_int_equal(count(access(BASE, 16, 16), false, t), 4);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(t[i].words, ~0u);
	/* an access over the edge of a line has words in two */
	struct dyninst d = access(BASE + 124, 0, 8);
	assert_int_equal(count(d, false, t), 2);
	assert_int_equal(t[0].words, 1u << 31);
	assert_int_equal(t[1].words, 1);
}

static void sectors(void **s)
{
	struct mem_txn t[MEM_TXN_MAX];
	assert_int_equal(count(access(BASE, 4, 4), true, t), 1);
	assert_int_equal(t[0].sectors, 0xf);
	assert_int_equal(t[0].bytes, 128);
	assert_int_equal(count(access(BASE + 64, 1, 1), true, t), 1);
	assert_int_equal(t[0].sectors, 4);
	assert_int_equal(t[0].addr, BASE + 64);
	assert_int_equal(t[0].bytes, 32);
	assert_int_equal(count(access(BASE, 64, 4), true, t), 16); /* two sectors of each line */
	assert_int_equal(t[3].sectors, 5);
}

static void store_bytes(void **s)
{
	struct mem_txn t[MEM_TXN_MAX];
	struct dyninst d = access(BASE, 2, 2);
	d.store = true;
	assert_int_equal(count(d, false, t), 1);
	assert_int_equal(t[0].bytes, 64);
	d = access(BASE, 0, 8); /* all lanes the same word */
	d.atomic = true;
	assert_int_equal(count(d, false, t), 1);
	assert_int_equal(t[0].bytes, 8);
	assert_int_equal(count(d, true, t), 1);
	assert_int_equal(t[0].bytes, 32);
}

/* Local memory: words interleaved over all threads of a machine, so a 16 B access of all lanes is 4 full lines, as far
 * apart as the machine is wide. */
static void local(void **s)
{
	struct mem_txn t[MEM_TXN_MAX];
	struct dyninst d = access(BASE, 4, 16);
	d.space = SPC_LOCAL;
	for (u32 warps = 1; warps < 5; warps += 3) {
		d.word_step = warps * 128;
		assert_int_equal(count(d, false, t), 4);
		for (u32 i = 0; i < 4; i++) {
			assert_int_equal(t[i].sectors, 0xf);
			assert_int_equal(t[i].addr, BASE + i * d.word_step);
		}
	}
	for (u32 l = 0; l < WARP_SIZE; l++)
		d.addr[l] = BASE + l * 4 + l * 4096; /* every lane at another depth of its stack */
	assert_int_equal(count(d, false, t), 128);
}

static u32 degree(struct dyninst d)
{
	d.space = SPC_SHARED;
	return mem_shared_degree(&conf, &d);
}

static void bank_conflicts(void **s)
{
	conf_defaults(&conf);
	for (u32 stride = 1; stride <= 64; stride++) { /* degree = gcd(stride, 32) */
		u32 g = 1;
		while (g < 32 && stride % (2 * g) == 0)
			g *= 2;
		assert_int_equal(degree(access(0, stride * 4, 4)), g);
	}
	for (u32 k = 1; k <= 32; k++) { /* k distinct words of bank 0, the rest broadcast */
		struct dyninst d = access(0, 0, 4);
		for (u32 l = 0; l < k; l++)
			d.addr[l] = l * 128;
		assert_int_equal(degree(d), k);
	}
	assert_int_equal(degree(access(0, 0, 4)), 1);
	assert_int_equal(degree(access(0, 1, 1)), 1);
	assert_int_equal(degree(access(0, 8, 8)), 2);
	assert_int_equal(degree(access(0, 16, 16)), 4);
	assert_int_equal(degree(access(0, 0, 8)), 1);
	struct dyninst d = access(0, 0, 4);
	d.mask = 0;
	assert_int_equal(degree(d), 1);
}

static void bank_variants(void **s)
{
	conf_defaults(&conf);
	struct dyninst d = access(0, 0, 4);
	d.atomic = true;
	assert_int_equal(degree(d), 32);
	conf.shared_atomic_turns = false; /* one word, one access */
	assert_int_equal(degree(d), 1);
	conf.shared_atomic_turns = true;
	for (u32 l = 0; l < WARP_SIZE; l++)
		d.addr[l] = l * 4;
	assert_int_equal(degree(d), 1);
	conf.shared_bank_bytes = 8; /* two words of one 8 B bank word do not conflict */
	assert_int_equal(degree(access(0, 8, 8)), 1);
	assert_int_equal(degree(access(0, 4, 4)), 1);
	conf.shared_bank_bytes = 4;
	conf.shared_banks = 16;
	assert_int_equal(degree(access(0, 4, 4)), 2);
}

/* The definition, word by word. */
static u32 naive_degree(const struct dyninst *d)
{
	static u64 words[64][WARP_SIZE * 5];
	u32 n[64] = {0}, worst = 1;
	FOR_EACH_BIT(l, (u64)d->mask)
	for (u64 w = d->addr[l] / conf.shared_bank_bytes; w <= (d->addr[l] + d->bytes - 1) / conf.shared_bank_bytes; w++) {
		u32 bank = (u32)(w % conf.shared_banks), i = 0;
		while (i < n[bank] && ((d->atomic && conf.shared_atomic_turns) || words[bank][i] != w))
			i++;
		words[bank][i] = w;
		n[bank] = MAX(n[bank], i + 1);
		worst = MAX(worst, n[bank]);
	}
	return worst;
}

static void degree_by_definition(void **s)
{
	u64 rng = 5;
	for (u32 round = 0; round < 50000; round++) {
		conf_defaults(&conf);
		conf.shared_banks = 1u << rng_next(&rng) % 7;
		conf.shared_bank_bytes = rng_next(&rng) % 2 ? 4 : 8;
		u32 bytes = 1u << rng_next(&rng) % 5, unit = rng_next(&rng) % 4 ? bytes : 1;
		s64 stride = ((s64)(rng_next(&rng) % 257) - 128) * unit;
		struct dyninst d = access(65536 + rng_next(&rng) % 64 * unit, stride, bytes);
		if (rng_next(&rng) % 2) /* no order at all, near or far */
			for (u64 l = 0, span = 2ull << rng_next(&rng) % 12; l < WARP_SIZE; l++)
				d.addr[l] = rng_next(&rng) % span * unit;
		d.mask = rng_next(&rng) % 2 ? ~0u : (u32)rng_next(&rng) | 1u << rng_next(&rng) % 32;
		d.atomic = bytes >= 4 && rng_next(&rng) % 4 == 0;
		conf.shared_atomic_turns = round % 2;
		assert_int_equal(degree(d), naive_degree(&d));
	}
}

/* L1D with banks: a transaction for each sector, from the highest address down, with its own words. */
static void banked(void **s)
{
	struct mem_txn t[MEM_TXN_MAX];
	struct dyninst d = access(BASE + 16, 4, 4); /* words 4 to 35 */
	conf_defaults(&conf);
	conf.coalesce = COALESCE_SECTOR32;
	conf.l1d_banks = 4;
	for (u32 turn = 0; turn < 2; turn++) {
		assert_int_equal(mem_coalesce(&conf, &d, MC_L1D, t), 5);
		mem_coalesce_words(&conf, &d, t, 5);
		for (u32 i = 0; i < 5; i++) {
			const u32 sector = 4 - i;
			assert_int_equal(t[i].addr, BASE + 32 * sector);
			assert_int_equal(t[i].sectors, 1 << sector % 4);
			assert_int_equal(t[i].bytes, 32);
			assert_int_equal(t[i].words, sector == 4 ? 0xf : sector ? 0xffu << 8 * sector : 0xf0);
		}
		for (u32 l = 0; l < WARP_SIZE; l++) /* the same from the last lane to the first */
			d.addr[l] = BASE + 16 + 4 * (31 - l);
	}
	conf.l1d_banks = 1;
	assert_int_equal(mem_coalesce(&conf, &d, MC_L1D, t), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(strides),        cmocka_unit_test(words_and_order), cmocka_unit_test(misaligned_and_wide),
	    cmocka_unit_test(sectors),        cmocka_unit_test(store_bytes),     cmocka_unit_test(local),
	    cmocka_unit_test(bank_conflicts), cmocka_unit_test(bank_variants),   cmocka_unit_test(degree_by_definition),
	    cmocka_unit_test(banked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
