/* managed: memory that the program and the device both see. Its pages are in the program at the device's addresses, or
 * are memory of the host that the device has a copy of.
 *
 * A launch takes the pages away from the host (what the host changed is written to the device first), and the first
 * touch brings them back. Pages are kept in pieces, each in one of three states.
 *
 * A touch while a kernel may run. Simulated time stands still while the program works by itself: the bytes of that
 * moment are fetched, and the pages are the device's again before time goes on (regions_yield()). So it is with pinned
 * memory, and with managed memory on chips with concurrent access (compute capability 6.0 and later). On others it is
 * an error: the program gets SIGSEGV after a message.
 *
 * Pinned memory is the host's alone until a kernel can have its address: from a parameter, from bytes that are copied
 * to the device, or from cudaHostGetDevicePointer(). Most of it is for copies only, and is read and written by system
 * calls, which pages without access would make fail. */
#ifndef UI_CUDART_MANAGED_H
#define UI_CUDART_MANAGED_H
#include <stdbool.h>
#include <stdint.h>

enum region_kind {
	REGION_OWN,         /* whole pages, both sides begin as zeros */
	REGION_PINNED,      /* the same, at first the host's alone */
	REGION_OF_VARIABLE, /* bytes of a variable; the device has the first contents */
	REGION_COPY,        /* host memory anywhere: all of it is copied at launches and synchronisations */
};
struct region;

/* The caller has the mutex. Errors are CUDA's. */
int region_new(uint64_t host, uint64_t device, uint64_t bytes, enum region_kind kind, struct region **made);
void region_free(struct region *r);
/* A kernel can have its address from now on. */
void region_wake(struct region *r);
/* The same of each region whose address is among these bytes, which go to the device. */
void regions_watch(const void *bytes, uint64_t n);
int regions_to_device(void); /* before a launch: what the host has changed is written, all is the device's */
/* Before the library copies from or to device memory there: what the host has changed in it is written; written: the
 * device's bytes change, so that the host's are of no use any more. */
int regions_sync(uint64_t device, uint64_t bytes, bool written);
void regions_idle(void);      /* no work is left on the device */
int regions_yield(void);      /* simulated time is about to go on */
int regions_after_sync(void); /* host memory of REGION_COPY gets what the device has */
int regions_come_back(
    void);                /* the same, after waiting for the device: before the library reads or writes host memory */
void regions_clear(void); /* the machine has been reset: all are gone */
#define REGION_PAGE 4096ull
#endif
