/* per_thread: the calls of programs whose stream 0 is each thread's own (nvcc --default-stream per-thread). Their names
 * end in _ptsz, or _ptds where the call has no stream argument. */
#include "cudart/abi.h"
#include "cudart/link.h"

#define OF_THREAD(name, suffix, parameters, arguments)                                                                 \
	EXPORT int name parameters;                                                                                        \
	EXPORT int name##suffix parameters;                                                                                \
	EXPORT int name##suffix parameters                                                                                 \
	{                                                                                                                  \
		link_per_thread++;                                                                                             \
		int error = name arguments;                                                                                    \
		link_per_thread--;                                                                                             \
		return error;                                                                                                  \
	}

#include "cudart/per_thread.def"
