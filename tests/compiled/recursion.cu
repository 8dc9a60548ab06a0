/* Recursion with local arrays; tests/front/test_recursion.c says what must come out.
 * nvcc -ptx -arch=compute_75 -o recursion.ptx recursion.cu */
#define FUNC __device__ __noinline__

/* Not recursive itself, with an array of its own. */
FUNC int middle(const int *a, int n)
{
	int three[3] = {a[0], a[n / 2], a[n - 1]};
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (three[k] > three[k + 1]) {
				const int t = three[k];
				three[k] = three[k + 1];
				three[k + 1] = t;
			}
	return three[1];
}
/* Each activation splits into arrays of its own and hands them to the next ones. */
FUNC void sort(int *a, int n)
{
	int low[16], high[16], nlow = 0, nhigh = 0, same = 0;
	if (n < 2)
		return;
	const int pivot = middle(a, n);
	for (int i = 0; i < n; i++)
		if (a[i] < pivot)
			low[nlow++] = a[i];
		else if (a[i] > pivot)
			high[nhigh++] = a[i];
		else
			same++;
	sort(low, nlow);
	sort(high, nhigh);
	for (int i = 0; i < n; i++)
		a[i] = i < nlow ? low[i] : i < nlow + same ? pivot : high[i - nlow - same];
}
extern "C" __global__ void quicksort(int *out, const int *in)
{
	int a[16];
	const int at = 16 * threadIdx.x, n = 1 + threadIdx.x % 16;
	for (int i = 0; i < n; i++)
		a[i] = in[at + i];
	sort(a, n);
	for (int i = 0; i < n; i++)
		out[at + i] = a[i];
}

/* Ackermann's function, the arguments kept in an array that the next activation must leave alone. */
FUNC int ackermann(int m, int n, int *calls)
{
	volatile int kept[4] = {m, n, m ^ n, m + n};
	++*calls;
	if (!m)
		return n + 1;
	const int inner = n ? ackermann(m, n - 1, calls) : 1;
	const int r = ackermann(kept[0] - 1, inner, calls);
	return kept[2] == (m ^ n) && kept[3] == m + n ? r : -1000;
}
extern "C" __global__ void ack(int *out)
{
	int calls = 0;
	const int r = ackermann(threadIdx.x % 3, threadIdx.x % 4, &calls);
	out[threadIdx.x] = r * 1000 + calls;
}

/* Two functions that call each other, with arrays of different sizes. */
FUNC unsigned pong(int n, unsigned x);
FUNC unsigned ping(int n, unsigned x)
{
	unsigned char own[40];
	for (int i = 0; i < 40; i++)
		own[i] = x + i * n;
	const unsigned r = n ? pong(n - 1, x * 5 + 1) : 1;
	return r * 31 + own[r % 40];
}
FUNC unsigned pong(int n, unsigned x)
{
	unsigned long long own[7];
	for (int i = 0; i < 7; i++)
		own[i] = (unsigned long long)x * x + i;
	const unsigned r = n ? ping(n - 1, x * 3 + 2) : 2;
	return r * 17 + (unsigned)(own[r % 7] >> 3);
}
extern "C" __global__ void mutual(int *out)
{
	out[threadIdx.x] = ping(threadIdx.x % 11, threadIdx.x);
}

/* The callee writes into its caller's array. */
FUNC int descend(int *above, int n)
{
	int own[4] = {n, 0, 0, 0};
	above[n & 3] += 3 * n + 1;
	if (n)
		descend(own, n - 1);
	for (int i = 0; i < 4; i++)
		above[(i + n) & 3] += own[i];
	return above[0];
}
extern "C" __global__ void depths(int *out)
{
	int own[4] = {0, 0, 0, 0};
	const int r = descend(own, threadIdx.x % 13);
	out[threadIdx.x] = r + 7 * own[1] + 11 * own[2] + 13 * own[3];
}

/* Lanes wait for each other at the bottom of different functions, at different depths. */
FUNC int left(int n, int x)
{
	int own[8];
	for (int i = 0; i < 8; i++)
		own[i] = x * i + n;
	const int r = n ? left(n - 1, x + 1) : __shfl_xor_sync(~0u, x, 1);
	return r * 3 + own[r & 7];
}
FUNC int right(int n, int x)
{
	int own[5];
	for (int i = 0; i < 5; i++)
		own[i] = x - i * n;
	const int r = n ? right(n - 1, x + 2) : __shfl_xor_sync(~0u, x, 1);
	return r * 5 + own[(unsigned)r % 5];
}
extern "C" __global__ void meeting(int *out)
{
	const int i = threadIdx.x;
	out[i] = i % 3 ? left(i % 5, i) : right(i % 4, i);
}

extern "C" __global__ void deep(int *out, int n)
{
	int own[4] = {0, 0, 0, 0};
	out[threadIdx.x] = descend(own, n);
}
/* No recursion, and more than a key of 16 KiB lets it have. */
extern "C" __global__ void large(int *out, int n)
{
	int own[5000];
	for (int i = 0; i < n; i++)
		own[i * 7 % 5000] = i;
	out[threadIdx.x] = own[threadIdx.x * 7];
}
