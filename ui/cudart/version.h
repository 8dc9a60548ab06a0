/* version: the CUDA version whose layouts the program's calls have: 11, 12 or 13. A library of each name is built; the
 * preloaded one finds it out from the run time in the program. */
#ifndef UI_CUDART_VERSION_H
#define UI_CUDART_VERSION_H
int cudart_version(void);
void cudart_set_version(int major);
#endif
