/* What the files of the measuring program share. */
#ifndef HARDWARE_MEASURE_H
#define HARDWARE_MEASURE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "driver.h"

struct options {
	const char *out, *ptx, *note, *only;
	int device, repeat;
	size_t big;
	unsigned clock_kcycles; /* thousand cycles that the SM's clock is measured over */
	unsigned hold_kcycles;  /* thousand cycles that the chip is kept busy while a launch and its events are queued */
};
extern struct options opt;
struct chip {
	char name[256];
	int major, minor, sms, l2, clock_khz, memory_khz, bus_bits, shared_optin, shared_per_sm, driver;
	size_t memory;
};
extern struct chip chip;

/* A message and exit status 2. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The whole file with a NUL behind it, for free(). */
char *read_file(const char *path, size_t *bytes);
uint64_t fnv1a(const void *p, size_t n);
void json_text(FILE *f, const char *s);
double median(double *v, int n); /* sorts them */
/* NULL when the driver refuses it; says why. */
cu_handle load_module(const char *name, const char *text);
/* Milliseconds between events around what go(what) launches. */
double elapsed_ms(void (*go)(void *), void *what, unsigned launches);
double sm_mhz(void);
double empty_cycles(double mhz);
/* Repeats a recorded workload and appends its object to the file. */
void replay_log(const char *path, FILE *out, int first);
#endif
