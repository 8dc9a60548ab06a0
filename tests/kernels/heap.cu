/* Kernels that allocate: nvcc -ptx -arch=compute_75 */
struct node {
	node *next;
	unsigned value;
};

/* Every thread builds a list of `length` nodes and adds it up while it frees it. */
__global__ void lists(unsigned long long *out, unsigned length)
{
	unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
	node *head = nullptr;
	for (unsigned i = 0; i < length + id % 3; i++) {
		node *n = (node *)malloc(sizeof(node));
		if (!n)
			break;
		n->next = head;
		n->value = id * 1000 + i;
		head = n;
	}
	unsigned long long sum = 0;
	while (head) {
		node *next = head->next;
		sum += head->value;
		free(head);
		head = next;
	}
	out[id] = sum;
}

/* Blocks of `bytes` until there is none; how many a thread had, and whether they were its own and aligned. They stay. */
__global__ void exhaust(unsigned *had, unsigned *wrong, unsigned long long bytes)
{
	unsigned id = blockIdx.x * blockDim.x + threadIdx.x, n = 0, bad = 0;
	unsigned **last = nullptr;
	for (;;) {
		unsigned **p = (unsigned **)malloc(bytes);
		if (!p)
			break;
		bad += ((unsigned long long)p & 15) != 0;
		p[0] = (unsigned *)last;
		p[1] = (unsigned *)(unsigned long long)id;
		last = p;
		n++;
	}
	for (unsigned **p = last; p; p = (unsigned **)p[0])
		bad += (unsigned)(unsigned long long)p[1] != id;
	had[id] = n;
	wrong[id] = bad;
}

/* The same memory again and again, in sizes that change: it has to be used again, and joined. */
__global__ void churn(unsigned *failed, unsigned rounds)
{
	unsigned id = blockIdx.x * blockDim.x + threadIdx.x, none = 0;
	for (unsigned i = 0; i < rounds; i++) {
		unsigned words = 1 + (i * 7 + id) % 60;
		unsigned *p = (unsigned *)malloc(4 * words), *q = (unsigned *)malloc(16);
		if (p && q) {
			p[words - 1] = i;
			q[3] = i;
			none += p[words - 1] != i || q[3] != i;
		} else {
			none++;
		}
		free(p);
		free(q);
	}
	failed[id] = none;
}

/* What a launch leaves, the next one takes up. */
struct shape {
	unsigned w, h;
	__device__ shape(unsigned a, unsigned b) : w(a), h(b) {}
	__device__ ~shape() {}
};
__global__ void make(shape **out)
{
	unsigned id = threadIdx.x;
	out[id] = new shape(id, 2 * id);
}
__global__ void take(shape **in, unsigned *area)
{
	unsigned id = threadIdx.x;
	unsigned *copy = new unsigned[4];
	copy[3] = in[id]->w * in[id]->h;
	area[id] = copy[3];
	delete[] copy;
	delete in[id];
}

/* Wrong on purpose: `how` says in what way. Lane 5 of warp 1 does it. */
__global__ void misuse(int how, unsigned *other)
{
	volatile unsigned *p = (unsigned *)malloc(40);
	p[0] = 1;
	if (how == 7)
		p = (unsigned *)__shfl_sync(0xffffffff, (unsigned long long)p, 5);
	if (threadIdx.x == 37) {
		switch (how) {
		case 0:
			free((void *)p);
			break;
		case 1: p = (unsigned *)((char *)p + 16); break;
		case 2: p = other; break;
		case 3: p[10] = 1; break;
		case 4:
			free((void *)p);
			p[1] = p[0];
			break;
		case 5: p = nullptr; break;
		case 6: p = (unsigned *)((char *)p + 4); break;
		}
	}
	free((void *)p);
}
