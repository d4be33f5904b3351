/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random programs, compiled by clang for NVPTX and interpreted, and by the same clang for this
 * machine and run thread by thread: every result has the same bits. And the independent interpreter
 * oclgrind on a kernel with a barrier and without it. */

#include "draw.h"
#include "remove_tree.h"
#include "simt_fixture.h"

#include <opevo/text.h>

#include <dlfcn.h>
#include <unistd.h>

enum { PROGRAMS = 60, THREADS = 96, DEPTH = 4 };

/* ---- Random programs ---- */

/* Expressions and statements over integers u[0..3], floats f[0..3] and the number of the thread.
 * Loops end after at most 7 rounds; divisors are odd, shifts short. */
static void add_integer(opevo_text *text, uint64_t *state, int depth)
{
    static const char *const binary[] = {"+", "-", "*", "^", "&", "|", "<", "==", ">="};

    if (depth == 0 || draw(state, 4) == 0) {
        if (draw(state, 3) == 0)
            opevo_text_printf(text, "%uu", (unsigned)draw(state, 100));
        else if (draw(state, 5) == 0)
            opevo_text_add(text, "t");
        else
            opevo_text_printf(text, "u%u", (unsigned)draw(state, 4));
        return;
    }
    opevo_text_add(text, "(");
    switch (draw(state, 5)) {
    case 0:
        opevo_text_add(text, "(unsigned)(int)(f0 < 1e6f && f0 > -1e6f ? f0 : 3.0f) + ");
        break;
    case 1:
        add_integer(text, state, depth - 1);
        opevo_text_printf(text, " %s %u) + (", draw(state, 2) ? "<<" : ">>",
                          (unsigned)draw(state, 31));
        break;
    case 2:
        add_integer(text, state, depth - 1);
        opevo_text_printf(text, " %s (", draw(state, 2) ? "/" : "%");
        add_integer(text, state, depth - 1);
        opevo_text_add(text, " | 1u)) ^ (unsigned)(unsigned char)(");
        break;
    default:
        add_integer(text, state, depth - 1);
        opevo_text_printf(text, " %s ", binary[draw(state, 9)]);
        break;
    }
    add_integer(text, state, depth - 1);
    opevo_text_add(text, ")");
}

static void add_float(opevo_text *text, uint64_t *state, int depth)
{
    static const char *const binary[] = {"+", "-", "*", "/"};

    if (depth == 0 || draw(state, 4) == 0) {
        if (draw(state, 3) == 0)
            opevo_text_printf(text, "%u.5f", (unsigned)draw(state, 9));
        else
            opevo_text_printf(text, "f%u", (unsigned)draw(state, 4));
        return;
    }
    if (draw(state, 6) == 0) {
        opevo_text_add(text, "(float)(int)(");
        add_integer(text, state, depth - 1);
        opevo_text_add(text, ")");
        return;
    }
    opevo_text_add(text, "(");
    add_float(text, state, depth - 1);
    opevo_text_printf(text, " %s ", binary[draw(state, 4)]);
    add_float(text, state, depth - 1);
    opevo_text_add(text, ")");
}

static void add_statements(opevo_text *text, uint64_t *state, int depth, bool in_loop);

static void add_loop(opevo_text *text, uint64_t *state, int depth)
{
    opevo_text_printf(text, "for (unsigned k%d = 0; k%d < (", depth, depth);
    add_integer(text, state, 1);
    opevo_text_printf(text, ") %% 8u; k%d++) {\nu%u ^= k%d;\n", depth, (unsigned)draw(state, 4),
                      depth);
    add_statements(text, state, depth - 1, true);
    opevo_text_add(text, "}\n");
}

static void add_statement(opevo_text *text, uint64_t *state, int depth, bool in_loop)
{
    uint64_t kind = draw(state, depth ? 8 : 4);

    if (kind < 2) {
        opevo_text_printf(text, "u%u = ", (unsigned)draw(state, 4));
        add_integer(text, state, 3);
        opevo_text_add(text, ";\n");
    } else if (kind < 4) {
        opevo_text_printf(text, "f%u = ", (unsigned)draw(state, 4));
        add_float(text, state, 3);
        opevo_text_add(text, ";\n");
    } else if (kind < 6) {
        add_loop(text, state, depth);
    } else if (kind == 6 && in_loop) {
        opevo_text_add(text, "if (");
        add_integer(text, state, 2);
        opevo_text_printf(text, ") %s;\n",
                          draw(state, 4) ? draw(state, 2) ? "break" : "continue" : "goto end");
    } else {
        opevo_text_add(text, "if (");
        add_integer(text, state, 2);
        opevo_text_add(text, ") {\n");
        add_statements(text, state, depth - 1, in_loop);
        opevo_text_add(text, "} else {\n");
        add_statements(text, state, depth - 1, in_loop);
        opevo_text_add(text, "}\n");
    }
}

static void add_statements(opevo_text *text, uint64_t *state, int depth, bool in_loop)
{
    for (uint64_t left = 1 + draw(state, 3); left; left--)
        add_statement(text, state, depth, in_loop);
}

/* Program `number`: out[t] and flt[t] from in[t]. */
static void add_program(opevo_text *text, uint64_t *state, int number)
{
    opevo_text_printf(
        text,
        "KERNEL void program%d(const unsigned *in, unsigned *out, float *flt ARGUMENT) {\n"
        "const unsigned t = THREAD;\n"
        "unsigned u0 = in[t], u1 = t * 3, u2 = 7, u3 = in[t] >> 16;\n"
        "float f0 = (float)(in[t] & 255) - 100, f1 = (float)t, f2 = 2, f3 = 0.1f;\n",
        number);
    for (int i = 0; i < 3; i++)
        add_statements(text, state, DEPTH, false);
    opevo_text_add(text, "end:\nout[t] = u0 ^ (u1 * 3) ^ (u2 * 5) ^ (u3 * 7);\n"
                         "flt[t] = f0 + f1 * 3 + f2 * 5 + f3;\n}\n");
}

/* ---- Compiling ---- */

static bool have(const char *program)
{
    char command[128];

    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0; /* NOLINT(cert-env33-c): the words are ours */
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void compile(const char *folder, const char *flags)
{
    char command[600];

    snprintf(command, sizeof command, "cd %s && clang-19 -w -ffp-contract=off %s", folder, flags);
    if (system(command) != 0) /* NOLINT(cert-env33-c): the words are ours */
        fail_msg("%s", command);
}

static simt_setting open_file(const char *path)
{
    LLVMMemoryBufferRef memory = NULL;
    char *message = NULL;
    opevo_simt_options options = opevo_simt_defaults;

    options.step_limit = 10000000; /* many times what a program needs */
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &memory, &message))
        fail_msg("%s", message);
    return simt_open_memory(memory, &options);
}

/* ---- Tests ---- */

typedef void native_program(const unsigned *in, unsigned *out, float *flt, unsigned thread);

static bool same_float(float a, float b)
{
    return (a == b && !signbit(a) == !signbit(b)) || (isnan(a) && isnan(b));
}

static void check_program(const simt_setting *machine, void *library, int number)
{
    static _Alignas(16) unsigned in[THREADS], out[2][THREADS];
    static _Alignas(16) float flt[2][THREADS];
    uint64_t stream = (uint64_t)number;
    char name[32];
    simt_call call = {.kernel = name, .grid = 1, .block = THREADS, .buffer_count = 3};
    opevo_simt_result result;
    native_program *native;
    void *symbol;

    snprintf(name, sizeof name, "program%d", number);
    symbol = dlsym(library, name);
    assert_non_null(symbol);
    memcpy(&native, &symbol, sizeof native);
    for (unsigned t = 0; t < THREADS; t++)
        in[t] = (unsigned)draw(&stream, UINT32_MAX);
    for (unsigned t = 0; t < THREADS; t++)
        native(in, out[0], flt[0], t);
    call.buffers[0] = (opevo_simt_buffer){.data = in, .size_bytes = sizeof in, .initialised = true};
    call.buffers[1] = (opevo_simt_buffer){.data = out[1], .size_bytes = sizeof out[1]};
    call.buffers[2] = (opevo_simt_buffer){.data = flt[1], .size_bytes = sizeof flt[1]};
    result = simt_launch(machine, &call);
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("program %d: %s", number, result.message);
    for (unsigned t = 0; t < THREADS; t++)
        if (out[0][t] != out[1][t] || !same_float(flt[0][t], flt[1][t]))
            fail_msg("program %d: thread %u: %u, %a interpreted, %u, %a natively", number, t,
                     out[1][t], (double)flt[1][t], out[0][t], (double)flt[0][t]);
}

CHECK_TEST(test_random_programs)
{
    static const char *const levels[] = {"-O0", "-O1", "-O2"};
    char folder[] = "/tmp/opevo-simt-XXXXXX", path[128];
    uint64_t stream = 7;
    opevo_text text = {0};
    void *library;

    if (!have("clang-19"))
        CHECK_SKIP("clang-19 is missing");
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < PROGRAMS; i++)
        add_program(&text, &stream, i);
    write_file(folder, "programs.c", opevo_text_string(&text));
    compile(folder, "-shared -fPIC -O1 '-DKERNEL=' '-DARGUMENT=, unsigned thread' -DTHREAD=thread "
                    "-o native.so programs.c");
    snprintf(path, sizeof path, "%s/native.so", folder);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    snprintf(path, sizeof path, "%s/kernels.ll", folder);
    for (int level = 0; level < 3; level++) {
        char flags[512];
        simt_setting machine;

        snprintf(flags, sizeof flags,
                 "%s --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -S -emit-llvm "
                 "-Xclang -disable-O0-optnone '-DKERNEL=__attribute__((nvptx_kernel))' -DARGUMENT= "
                 "'-DTHREAD=__nvvm_read_ptx_sreg_tid_x()' -o kernels.ll programs.c",
                 levels[level]);
        compile(folder, flags);
        machine = open_file(path);
        for (int i = 0; i < PROGRAMS; i++)
            check_program(&machine, library, i);
        simt_close(&machine);
    }
    dlclose(library);
    assert_int_equal(remove_tree(folder), 0);
    opevo_text_free(&text);
}

/* Reverse a block through local memory; oclgrind takes OpenCL and reports races by itself. */
CHECK_TEST(test_oclgrind)
{
    static const char *const between[] = {"barrier(CLK_LOCAL_MEM_FENCE);", ""};
    char folder[] = "/tmp/opevo-simt-XXXXXX", command[256];

    if (!have("oclgrind-kernel"))
        CHECK_SKIP("oclgrind is missing");
    assert_non_null(mkdtemp(folder));
    for (int racy = 0; racy < 2; racy++) {
        char source[512];

        snprintf(source, sizeof source,
                 "kernel void f(global int *out, local int *s) {\n"
                 "int t = get_local_id(0);\ns[t] = t;\n%s\n"
                 "out[get_global_id(0)] = s[get_local_size(0) - 1 - t];\n}\n",
                 between[racy]);
        write_file(folder, "f.cl", source);
        write_file(folder, "f.sim", "f.cl\nf\n192 1 1\n64 1 1\n<size=768 fill=0>\n<size=256>\n");
        snprintf(command, sizeof command,
                 "cd %s && oclgrind-kernel --data-races f.sim >log 2>&1; grep -qi race log",
                 folder);
        assert_int_equal(system(command) == 0, racy); /* NOLINT(cert-env33-c): the words are ours */
    }
    assert_int_equal(remove_tree(folder), 0);
}
