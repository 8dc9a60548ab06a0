/* properties: numbers of the modelled chip as CUDA's attributes (enum cudaDeviceAttr). */
#ifndef CUDART_PROPERTIES_H
#define CUDART_PROPERTIES_H
#include <stdbool.h>
bool attribute_value(int attribute, int *value); /* false: there is no such attribute */
#endif
