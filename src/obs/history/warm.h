/* warm: memory that a second thread has the kernel clear before it is used. The first touch of a fresh page costs more
 * than copying into it (ten times more in some virtual machines), and the simulating thread should not pay for it. The
 * thread writes nothing, so it has no effect except on time. */
#ifndef OBS_HISTORY_WARM_H
#define OBS_HISTORY_WARM_H
#include "base/base.h"

struct warm;
/* For a fresh anonymous mapping that is used from its beginning on. NULL when there can be no thread: then the pages
 * are cleared when touched. */
struct warm *warm_start(u8 *base, size_t bytes);
/* The first `used` bytes are in use. Cheap; tells the thread to go on when it is needed. */
void warm_use(struct warm *w, size_t used);
/* Ends the thread; before the mapping goes. NULL is fine. */
void warm_stop(struct warm *w);
#endif
