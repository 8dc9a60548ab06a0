/* properties: numbers of the modelled chip as CUDA's attributes (enum cudaDeviceAttr). */
#ifndef UI_CUDART_PROPERTIES_H
#define UI_CUDART_PROPERTIES_H
#include <stdbool.h>
bool attribute_value(int attribute, int *value); /* false: there is no such attribute */
#endif
