#include "front/ptx/executor/video.h"

u32 video_elements(u8 op)
{
	switch (op) {
	case OP_VADD:
	case OP_VSUB:
	case OP_VABSDIFF:
	case OP_VMIN:
	case OP_VMAX:
	case OP_VSHL:
	case OP_VSHR:
	case OP_VMAD:
	case OP_VSET: return 1;
	case OP_VADD2:
	case OP_VSUB2:
	case OP_VAVRG2:
	case OP_VABSDIFF2:
	case OP_VMIN2:
	case OP_VMAX2:
	case OP_VSET2: return 2;
	case OP_VADD4:
	case OP_VSUB4:
	case OP_VAVRG4:
	case OP_VABSDIFF4:
	case OP_VMIN4:
	case OP_VMAX4:
	case OP_VSET4: return 4;
	default: return 0;
	}
}

u64 video_plain(u8 op, u8 b_type)
{
	static const u64 order[] = {[2] = 0x32ull << VIDEO_SEL_B | 0x10, [4] = 0x7654ull << VIDEO_SEL_B | 0x3210};
	const u32 n = video_elements(op);
	const u64 whole = n > 1 ? order[n] | (BIT(n) - 1) << VIDEO_DEST : 0;
	return whole | (b_type == T_S32 ? VIDEO_B_SIGNED : 0);
}
