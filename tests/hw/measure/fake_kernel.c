/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in CUDA and HIP as a C compiler builds them for this processor, with the words, the
 * threads and the barriers of the emulation that network libraries for GPUs have
 * (hw/networks/network_library/gpu). A read or write of a vector at an address that is not a
 * multiple of its size is a fault, as is an index beyond an array. Where the environment variable
 * FAKE_GPU_EDIT is "FROM|TO", the compiler takes TO for FROM, which makes wrong kernels. */

#undef _FORTIFY_SOURCE /* its siglongjmp knows one stack only */

#include "fake_function.h"
#include "fake_gpu.h"

#include "build_source.h"

#include <ctype.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { WARP = 32 };

/* An image: this, and an object. */
typedef struct header {
    char name[16];
    size_t bytes;
} header;

static const char image_name[16] = "fake gpu image";

/* ---- From a text to C ----------------------------------------------------------------------- */

/* What kernels of networks, which have no other type, do without. */
static const char before[] =
    "#define NET_EMULATE\n#include \"kernel.h\"\n#include <stdbool.h>\n"
    "#define __constant__\n"
    "#include \"fake_function.h\"\n"
    "#define VECTORS(type, name, bytes) \\\n"
    "    typedef struct name##2 { type x, y; } __attribute__((aligned(2 * bytes), may_alias)) "
    "name##2; \\\n"
    "    typedef struct name##4 { type x, y, z, w; } __attribute__((aligned(4 * bytes), "
    "may_alias)) "
    "name##4;\n"
    "VECTORS(int, int, 4)\nVECTORS(unsigned short, ushort, 2)\nVECTORS(signed char, char, 1)\n";

/* What is said otherwise in the text. */
static const char *const words[][2] = {
    {"extern \"C\" ", "NET_EXTERN "},
    {"extern __shared__ __align__(16) float shared_memory[];", "NET_SHARED_MEMORY(shared_memory);"},
};

/* The word of `words` that begins at `text`, or that of FAKE_GPU_EDIT; NULL where none does. */
static const char *replacement(const char *text, const char *edit, size_t *length)
{
    const char *bar = edit ? strchr(edit, '|') : NULL;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *length = strlen(words[i][0]);
        if (strncmp(text, words[i][0], *length) == 0)
            return words[i][1];
    }
    *length = bar ? (size_t)(bar - edit) : 0;
    return *length && strncmp(text, edit, *length) == 0 ? bar + 1 : NULL;
}

static void print_text(FILE *out, const char *text)
{
    const char *edit = getenv("FAKE_GPU_EDIT");
    size_t length = 0;

    while (*text) {
        const char *instead = replacement(text, edit, &length);

        if (!instead)
            fputc(*text, out);
        else
            fputs(instead, out);
        text += instead ? length : 1;
    }
}

/* A kernel of the text; `end` is where the next one begins. */
typedef struct place {
    const char *bounds, *name, *parameters, *body, *end;
} place;

static const char bounds_word[] = "__launch_bounds__(";

static bool find_kernel(const char *text, place *out)
{
    const char *at = strstr(text, bounds_word);

    if (!at)
        return false;
    out->bounds = at + strlen(bounds_word);
    at = strchr(out->bounds, ')');
    if (!at)
        return false;
    out->name = at + 1 + strspn(at + 1, " \n");
    at = strchr(out->name, '(');
    out->parameters = at ? at + 1 : NULL;
    out->body = at ? strchr(at, ')') : NULL;
    if (!out->body)
        return false;
    out->end = strstr(out->body, bounds_word);
    if (!out->end)
        out->end = out->body + strlen(out->body);
    return true;
}

static bool waits(const place *kernel)
{
    const char *barrier = strstr(kernel->body, "__syncthreads");

    return barrier && barrier < kernel->end;
}

static int name_length(const place *kernel)
{
    return (int)(kernel->parameters - 1 - kernel->name);
}

/* The call of a kernel with arguments in memory, each with the type of its parameter. */
static void print_call(FILE *out, const place *kernel)
{
    int number = 0;

    fprintf(out, "NET_CALL(%.*s, %d, (", name_length(kernel), kernel->name, waits(kernel));
    for (const char *at = kernel->parameters; at < kernel->body; number++) {
        const char *next = at + strcspn(at, ",)");
        const char *type = next;

        while (type > at && (isalnum((unsigned char)type[-1]) || type[-1] == '_'))
            type--;
        fprintf(out, "%s*(%.*s *)arguments[%d]", number ? ", " : "", (int)(type - at), at, number);
        at = next + 1;
    }
    fputs("))\n", out);
}

/* Bytes of its static shared memory, as a sum. */
static void print_shared(FILE *out, const place *kernel)
{
    static const char shared[] = "__shared__ ", aligned[] = "__align__(16) ", dynamic[] = "extern ";

    fputs("0", out);
    for (const char *at = strstr(kernel->body, shared); at && at < kernel->end;
         at = strstr(at, shared)) {
        bool skip = strncmp(at - strlen(dynamic), dynamic, strlen(dynamic)) == 0;
        const char *extent = at + strcspn(at, "[;"), *name = extent;

        at += strlen(shared);
        if (strncmp(at, aligned, strlen(aligned)) == 0)
            at += strlen(aligned);
        while (name > at && name[-1] != ' ')
            name--;
        if (!skip)
            fprintf(out, " + sizeof(%.*s%.*s)", (int)(name - at), at, (int)strcspn(extent, ";"),
                    extent);
    }
}

/* Its row of the table. */
static void print_row(FILE *out, const place *kernel)
{
    int length = name_length(kernel);

    fprintf(out, "    {\"%.*s\", NET_FUNCTION(%.*s), %.*s, ", length, kernel->name, length,
            kernel->name, (int)strcspn(kernel->bounds, ")"), kernel->bounds);
    print_shared(out, kernel);
    fprintf(out, ", %d, emulatedLaunchKernel},\n", waits(kernel));
}

static void print_check(FILE *out, const place *kernel, size_t shared_most)
{
    fputs("_Static_assert(", out);
    print_shared(out, kernel);
    fprintf(out, " <= %zu, \"%.*s uses too much shared data\");\n", shared_most,
            name_length(kernel), kernel->name);
}

/* To be freed. */
static char *make_c(const char *source, size_t shared_most)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    place kernel;

    if (!out)
        return NULL;
    fputs(before, out);
    print_text(out, source);
    fputs("\n", out);
    for (kernel.end = source; find_kernel(kernel.end, &kernel);)
        print_call(out, &kernel);
    for (kernel.end = source; find_kernel(kernel.end, &kernel);)
        print_check(out, &kernel, shared_most);
    fputs("const fake_function fake_functions[] = {\n", out);
    for (kernel.end = source; find_kernel(kernel.end, &kernel);)
        print_row(out, &kernel);
    fputs("    {0},\n};\n", out);
    fclose(out);
    return text;
}

/* ---- From C to an image --------------------------------------------------------------------- */

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    bool written = file && fputs(text, file) >= 0;

    return file && fclose(file) == 0 && written;
}

static char *read_image(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "r");
    long end = -1;
    char *image = NULL;
    header head = {0};

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    rewind(file);
    memcpy(head.name, image_name, sizeof head.name);
    head.bytes = end > 0 ? (size_t)end : 0;
    *bytes = sizeof head + head.bytes;
    image = head.bytes ? malloc(*bytes) : NULL;
    if (image) {
        memcpy(image, &head, sizeof head);
        if (fread(image + sizeof head, 1, head.bytes, file) != head.bytes) {
            free(image);
            image = NULL;
        }
    }
    fclose(file);
    return image;
}

char *fake_kernel_compile(const char *source, size_t shared_most, size_t *bytes, char *log,
                          size_t log_size)
{
    /* That of a worker's compilers goes with them, also when they are killed. */
    const char *base = getenv("TMPDIR");
    char folder[4096], in[sizeof folder + 16], out[sizeof folder + 16];
    const char *const compiler[] = {"cc",
                                    "-O1",
                                    "-std=gnu11",
                                    "-fPIC",
                                    "-shared",
                                    "-Wall",
                                    "-Wextra",
                                    "-Werror",
                                    "-Wno-array-bounds",
                                    "-Wno-maybe-uninitialized",
                                    "-fsanitize=alignment,bounds",
                                    "-fsanitize-undefined-trap-on-error",
                                    ("-I" FAKE_GPU_INCLUDE),
                                    ("-I" FAKE_GPU_EMULATION),
                                    in,
                                    FAKE_GPU_EMULATOR,
                                    "-o",
                                    out,
                                    "-lm",
                                    NULL};
    char *text = NULL, *image = NULL;

    snprintf(log, log_size, "fake_gpu: no room for a compiler's files.\n");
    snprintf(folder, sizeof folder, "%s/fake_gpu_XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        return NULL;
    snprintf(in, sizeof in, "%s/kernel.c", folder);
    snprintf(out, sizeof out, "%s/kernel.so", folder);
    text = make_c(source, shared_most);
    if (text && write_text(in, text)) {
        if (program_succeeds(compiler))
            image = read_image(out, bytes);
        else
            snprintf(log, log_size, "%s", program_output);
    }
    free(text);
    unlink(in);
    unlink(out);
    rmdir(folder);
    return image;
}

/* ---- Running it ----------------------------------------------------------------------------- */

void *fake_kernel_load(const void *image)
{
    char path[64];
    header head;
    void *object = NULL;
    int file = -1;

    if (strncmp(image, image_name, sizeof image_name) != 0)
        return NULL;
    memcpy(&head, image, sizeof head);
    file = memfd_create("fake_gpu", MFD_CLOEXEC);
    if (file < 0)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, (const char *)image + sizeof head, head.bytes) == (ssize_t)head.bytes)
        object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(file);
    return object;
}

const fake_function *fake_kernel_find(void *object, const char *name)
{
    const fake_function *row = dlsym(object, "fake_functions");

    while (row && row->name && strcmp(row->name, name) != 0)
        row++;
    return row && row->name ? row : NULL;
}

void *fake_kernel_variable(void *object, const char *name, size_t *bytes)
{
    void *at = dlsym(object, name);
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return NULL;
    *bytes = symbol->st_size;
    return at;
}

static sigjmp_buf before_fault;

static void on_fault(int number)
{
    (void)number;
    siglongjmp(before_fault, 1);
}

/* A fault of a kernel ends its launch; what that held is lost. */
static int run(const fake_function *function, dim3 grid, dim3 block, const fake_launch *how)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
    static const int codes[] = {[emulatedErrorMemoryAllocation] = FAKE_OUT_OF_MEMORY,
                                [emulatedErrorInvalidConfiguration] = FAKE_INVALID_VALUE,
                                [emulatedErrorDivergedBarrier] = FAKE_LAUNCH_FAILED};
    enum { FAULTS = sizeof faults / sizeof *faults };
    const struct sigaction action = {.sa_handler = on_fault};
    struct sigaction kept[FAULTS];
    volatile int code = FAKE_ILLEGAL_ADDRESS;

    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &action, &kept[i]);
    if (!sigsetjmp(before_fault, 1))
        code = codes[function->start(function->emulated, grid, block, how->arguments,
                                     how->shared_bytes, NULL)];
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &kept[i], NULL);
    return code;
}

int fake_kernel_launch(const fake_function *function, size_t shared_most, const fake_launch *how,
                       unsigned *units)
{
    const dim3 grid = {how->grid[0], how->grid[1], how->grid[2]};
    const dim3 block = {how->block[0], how->block[1], how->block[2]};
    unsigned long threads = 1UL * block.x * block.y * block.z;

    if (how->shared_bytes + function->shared_bytes > shared_most)
        return FAKE_INVALID_VALUE;
    if (threads > function->most_threads)
        return FAKE_OUT_OF_RESOURCES;
    if (function->waits)
        *units += (unsigned)((threads + WARP - 1) / WARP) * grid.x * grid.y * grid.z;
    return run(function, grid, block, how);
}
