// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n]; C[i] = A[i]*2
//@ harness {"buffers": {"A": {"type": "f32", "count": "n", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": "n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["A", "C", {"i64": "n"}]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 12}}}
//@ 0 proved
//@ 1 refuted another iteration
//@ 2 refuted local variable
//@ 3 proved
//@ 4 proved
//@ 5 undecided __kmpc_dispatch_init_8
//@ 6 proved
//@ 7 refuted local variable
//@ 8 proved
//@ 9 undecided depend on data
//@ 10 undecided __kmpc_barrier
//@ 11 undecided __kmpc_reduce_nowait
//@ 12 undecided omp_get_thread_num
//@ 13 proved
//@ 14 refuted another iteration
//@ 15 proved
//@ 16 proved
//@ 17 proved
//@ 18 proved
//@ 19 undecided __kmpc_fork_call
//@ 20 refuted another iteration
//@ 21 undecided no value in the field
//@ 22 undecided variables of their thread
//@ 23 undecided variables of their thread
//@ 24 undecided variables of their thread
//@ 25 undecided variables of their thread
//@ 26 undecided shares out
//@ 27 undecided reads atomically
//@ 28 proved
//@ 29 proved
//@ 30 undecided variables of their thread
//@ 31 proved
//@ 32 refuted
//@ 33 undecided variables of their thread
//@ fault 1 race with the right result

// Parallel loops of OpenMP: races of iterations, whichever threads run them.
int omp_get_thread_num(void);
void f(const float *A, float *C, long n)
{
    float common = 0;
    float table[8] = {0};
    (void)common;
    (void)table;
#if CASE == 0
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        C[i] = A[i] * 2;
#elif CASE == 1
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        C[i] = A[i] * 2;
        C[0] = A[0] * 2;
    }
#elif CASE == 2
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        common = A[i];
        C[i] = common * 2;
    }
#elif CASE == 3
#pragma omp parallel for private(common)
    for (long i = 0; i < n; i++) {
        common = A[i];
        C[i] = common * 2;
    }
#elif CASE == 4
#pragma omp parallel for schedule(static, 2)
    for (long i = 0; i < n; i++)
        C[i] = A[i] * 2;
#elif CASE == 5
#pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; i++)
        C[i] = A[i] * 2;
#elif CASE == 6
#pragma omp parallel for
    for (int i = 0; i < (int)n; i++) {
        float t[4];
        for (int k = 0; k < 4; k++)
            t[k] = A[i];
        C[i] = t[i % 4] * 2;
    }
#elif CASE == 7
#pragma omp parallel for
    for (int i = 0; i < (int)n; i++) {
        table[i % 8] = A[i];
        C[i] = table[i % 8] * 2;
    }
#elif CASE == 8
#pragma omp parallel for collapse(2)
    for (int i = 0; i < (int)n / 4; i++)
        for (int j = 0; j < 4; j++)
            C[4 * i + j] = A[4 * i + j] * 2;
#elif CASE == 9
    int next = 0;
#pragma omp parallel for
    for (int i = 0; i < (int)n; i++) {
        int at;
#pragma omp atomic capture
        at = next++;
        C[at] = A[at] * 2;
    }
#elif CASE == 10
#pragma omp parallel
    {
        C[0] = A[0] * 2;
#pragma omp for
        for (long i = 1; i < n; i++)
            C[i] = A[i] * 2;
    }
#elif CASE == 11
#pragma omp parallel for reduction(+ : common)
    for (long i = 0; i < n; i++) {
        common += A[i];
        C[i] = A[i] * 2;
    }
#elif CASE == 12
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        C[i] = A[i] * (omp_get_thread_num() + 2);
#elif CASE == 13
    for (long i = 0; i < n; i++)
        C[i] = A[i];
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        C[i] = C[i] * 2;
#elif CASE == 14
    for (long i = 0; i < n; i++)
        C[i] = A[i];
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        C[i] = C[i] + (i + 1 < n ? C[i + 1] - A[i + 1] : 0) + A[i];
#elif CASE == 15
#pragma omp parallel for
    for (unsigned i = 0; i < (unsigned)n; i++)
        C[i] = A[i] * 2;
#elif CASE == 16
#pragma omp parallel for
    for (unsigned i = 0; i < 1; i++)
        for (long j = 0; j < n; j++)
            C[j] = A[j] * 2;
#elif CASE == 17
#pragma omp parallel for
    for (long i = n - 1; i >= 0; i--)
        C[i] = A[i] * 2;
#elif CASE == 18
#pragma omp parallel for num_threads(4)
    for (long i = 0; i < n; i += 3)
        for (long j = i; j < i + 3 && j < n; j++)
            C[j] = A[j] * 2;
#elif CASE == 19
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        C[i] = A[i] * 2;
#pragma omp parallel for
        for (long k = 0; k < 2; k++)
            C[i] = A[i] * 2;
    }
#elif CASE == 20
    // The threads of a region run what stands outside of its loops, too.
#pragma omp parallel
    for (long i = 0; i < n; i++)
        C[i] = A[i] * 2;
#elif CASE == 21
    // Each thread has its own, which is not initialised: LLVM makes NaNs of it.
    float mine = 2;
#pragma omp parallel for private(mine)
    for (long i = 0; i < n; i++)
        C[i] = A[i] * mine;
#elif CASE == 22
    // What is a thread's own goes on from one of its iterations to the next.
#pragma omp parallel
    {
        float before = 0;
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            before += A[i];
            C[i] = before * 2;
        }
    }
#elif CASE == 23
    int factor = 2;
#pragma omp parallel for firstprivate(factor)
    for (long i = 0; i < n; i++)
        C[i] = A[i] * factor++;
#elif CASE == 24
    float factors[2] = {2, 2};
#pragma omp parallel for firstprivate(factors)
    for (long i = 0; i < n; i++) {
        C[i] = A[i] * factors[i & 1];
        factors[(i + 1) & 1] = 3;
    }
#elif CASE == 25
    int factor = 2;
#pragma omp parallel for firstprivate(factor) schedule(static, 3)
    for (long i = 0; i < n; i++)
        C[i] = A[i] * factor++;
#elif CASE == 26
    // Iterations of the same number need not be of the same thread.
#pragma omp parallel
    {
#pragma omp for nowait schedule(static, 1)
        for (long i = 0; i < n; i++)
            C[i] = A[i];
#pragma omp for nowait schedule(static, 4)
        for (long i = 0; i < n; i++)
            C[i] = C[i] * 2;
    }
#elif CASE == 27
    int flag = 0;
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int seen;
#pragma omp atomic read
        seen = flag;
        C[i] = A[i] * (2 + seen);
        if (i == n - 1) {
#pragma omp atomic write
            flag = 1;
        }
    }
#elif CASE == 28
#pragma omp parallel for schedule(static, 2)
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 2; k++)
            sum += A[i];
        C[i] = sum;
    }
#elif CASE == 29
    float last = 0;
#pragma omp parallel for lastprivate(last)
    for (long i = 0; i < n; i++) {
        last = A[i] * 2;
        C[i] = last;
    }
    C[n - 1] = last;
#elif CASE == 30
    float factors[2] = {2, 2};
#pragma omp parallel firstprivate(factors)
    {
        float *volatile kept = factors;
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            float *mine = kept;

            C[i] = A[i] * mine[i & 1];
            mine[(i + 1) & 1] = 3;
        }
    }
#elif CASE == 31
    // A variable of a thread that iterations write before they read it.
#pragma omp parallel
    {
        float mine[4];
        float *volatile kept = mine;
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            float *own = kept;

            own[i & 3] = A[i];
            C[i] = own[i & 3] * 2;
        }
    }
#elif CASE == 32
    // The second half is read as an iteration before has left it.
#pragma omp parallel
    {
        float mine[2];
        float *volatile kept = mine;
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            float *own = kept;

            if (i % 2 == 0)
                own[0] = A[i];
            C[i] = own[0] * 2;
        }
    }
#elif CASE == 33
#pragma omp parallel
    {
        float mine[2];
        float *volatile kept = mine;

        mine[1] = 2;
#pragma omp for nowait
        for (long i = 0; i < n; i++) {
            float *own = kept;

            own[0] = A[i];
            C[i] = own[0] * own[1];
        }
    }
#endif
}
