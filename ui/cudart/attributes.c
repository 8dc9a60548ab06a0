/* attributes: cudaDeviceGetAttribute (properties.h). Limits of the run time itself are those of every chip since
 * compute capability 3; what the machine has comes from warpdbg. */
#include "cudart/link.h"
#include "cudart/properties.h"
#include <limits.h>

/* Rates of single to double precision by compute capability. */
static int double_ratio(void)
{
	unsigned cc = link_device.major * 10 + link_device.minor;
	if (cc == 20)
		return 2;
	if (cc == 60 || cc == 70 || cc == 80 || cc == 90 || cc == 100)
		return 2;
	if (cc == 35 || cc == 37)
		return 3;
	if (cc < 50)
		return 24;
	if (cc >= 86 || (cc > 80 && cc < 90))
		return 64;
	return 32;
}

bool attribute_value(int attribute, int *value)
{
	const struct wire_device *d = &link_device;
	switch (attribute) {
	case 1: *value = (int)d->threads_per_cta; break;
	case 2:
	case 3: *value = 1024; break;
	case 4: *value = 64; break;
	case 5: *value = INT_MAX; break;
	case 6:
	case 7: *value = 65535; break;
	case 8: *value = (int)d->shared_per_cta; break;
	case 9: *value = (int)d->constant_bytes; break;
	case 10: *value = (int)d->warp_size; break;
	case 11: *value = INT_MAX; break;
	case 12: *value = (int)d->regs_per_cta; break;
	case 13: *value = (int)d->core_khz; break;
	case 14: *value = (int)d->texture_alignment; break;
	case 15: *value = 1; break; /* copies run beside kernels */
	case 16: *value = (int)d->sms; break;
	case 17:                    /* no limit on a kernel's time */
	case 18: *value = 0; break; /* not integrated */
	case 19: *value = 1; break; /* host memory can be mapped */
	case 20: *value = 0; break; /* any process may use it */
	case 21: *value = 131072; break;
	case 22: *value = 131072; break;
	case 23: *value = 65536; break;
	case 24:
	case 25:
	case 26: *value = 16384; break;
	case 27:
	case 28: *value = 32768; break;
	case 29: *value = 2048; break;
	case 30: *value = (int)d->texture_alignment; break;
	case 31: *value = 1; break; /* concurrent kernels */
	case 32: *value = 0; break; /* no ECC */
	case 33: *value = 1; break; /* PCI bus */
	case 34:
	case 35: *value = 0; break;
	case 36: *value = (int)d->memory_khz; break;
	case 37: *value = (int)d->bus_bits; break;
	case 38: *value = (int)d->l2_bytes; break;
	case 39: *value = (int)d->threads_per_sm; break;
	case 40: *value = 2; break; /* copy engines */
	case 41: *value = 1; break; /* unified addresses */
	case 42: *value = 32768; break;
	case 43: *value = 2048; break;
	case 45:
	case 46: *value = 32768; break;
	case 47:
	case 48: *value = 8192; break;
	case 49: *value = 32768; break;
	case 50: *value = 0; break;
	case 51: *value = (int)d->texture_pitch; break;
	case 52:
	case 53: *value = 32768; break;
	case 54: *value = 2046; break;
	case 55: *value = 32768; break;
	case 56: *value = 131072; break;
	case 57: *value = 65536; break;
	case 58:
	case 59:
	case 60: *value = 16384; break;
	case 61: *value = 32768; break;
	case 62: *value = 2048; break;
	case 63:
	case 64: *value = 32768; break;
	case 65: *value = 2048; break;
	case 66:
	case 67: *value = 32768; break;
	case 68: *value = 2046; break;
	case 69: *value = 268435456; break;
	case 70: *value = 131072; break;
	case 71: *value = 65000; break;
	case 72: *value = 2097120; break;
	case 73:
	case 74: *value = 32768; break;
	case 75: *value = (int)d->major; break;
	case 76: *value = (int)d->minor; break;
	case 77: *value = 32768; break;
	case 78: /* priorities of streams */
	case 79: /* L1 caches global loads */
	case 80: *value = 1; break;
	case 81: *value = (int)d->shared_per_sm; break;
	case 82: *value = (int)d->regs_per_sm; break;
	case 83: *value = 1; break; /* managed memory */
	case 84:                    /* one chip a board */
	case 85:
	case 86: *value = 0; break; /* no atomics across the bus */
	case 87: *value = double_ratio(); break;
	case 88: *value = 0; break;             /* pageable memory is not the device's */
	case 89: *value = d->major >= 6; break; /* the host may touch managed memory while kernels run */
	case 90: *value = 1; break;             /* preemption */
	case 91: *value = 0; break;             /* registered memory has another address on the device */
	case 92:
	case 93: /* values in memory that streams wait for */
	case 94: *value = 0; break;
	case 95: *value = 1; break; /* cooperative launches */
	case 96: *value = 0; break; /* on several devices */
	case 97: *value = (int)d->shared_per_cta_optin; break;
	case 98: *value = 0; break;
	case 99: *value = 1; break; /* cudaHostRegister */
	case 100:
	case 101: *value = 0; break;
	case 106: *value = (int)d->ctas_per_sm; break;
	case 108: /* no persisting lines in L2 */
	case 109:
	case 111: /* shared memory is not kept back */
	case 112:
	case 113:
	case 114: *value = 0; break;
	case 115: *value = 1; break; /* pools */
	case 116:
	case 117:
	case 118:
	case 119:
	case 120: /* clusters */
	case 121:
	case 122:
	case 123:
	case 124:
	case 125: *value = 0; break;
	case 126: *value = 1; break;
	case 127:
	case 128:
	case 129:
	case 130: *value = 0; break;
	case 131: *value = -1; break;
	case 132:
	case 133: *value = 0; break;
	case 134: *value = -1; break;
	case 135:
	case 138:
	case 139:
	case 140:
	case 141:
	case 142:
	case 143:
	case 144:
	case 145:
	case 147: *value = 0; break;
	default: return false;
	}
	return true;
}
