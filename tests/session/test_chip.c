/* Which machine an application gets: one of the chip that its code was built for, as measured; not another simulator's
 * reading of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/app/chip.h"
#include "session/machine.h"

static void test_of_the_same_chip(void **state)
{
	static const u32 known[] = {35, 52, 70, 75, 80, 86, 89, 90};
	for (u32 i = 0; i < ARRAY_LEN(known); i++) {
		struct conf c;
		struct err e = {0};
		const char *name = chip_machine(known[i]);
		if (!machine_conf(&c, ".", name, NULL, 0, &e))
			fail_msg("%u: %s: %s", known[i], name, e.msg);
		assert_int_equal(c.cuda_capability, known[i]);
		if (strstr(name, "gpgpusim"))
			fail_msg("%u: %s", known[i], name);
		if (known[i] >= 70 && known[i] < 90) /* today's SM; h200 has not got it yet */
			assert_int_equal(c.sm_unit_sets, UNIT_SETS_SCHEDULER);
	}
}

static void test_between_chips(void **state)
{
	assert_string_equal(chip_machine(72), "v100");
	assert_string_equal(chip_machine(20), "gtx480");
	assert_string_equal(chip_machine(121), "h200");
	assert_string_equal(chip_machine(0), "rtx2060"); /* no PTX found: nvcc 13's own choice is sm_75 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_of_the_same_chip),
	    cmocka_unit_test(test_between_chips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
