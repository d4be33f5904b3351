/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forms of variants, and files that are not modules, each read in a process of its own. */

#include "edits_fixture.h"

#include "edits_internal.h"

#include <opevo/file.h>

#include <llvm-c/BitWriter.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 37, PATH_SIZE = 1024 };

static char folder[] = "/tmp/opevo-forms-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"flag.ll",  "module.bc", "hooks.c",
                                        "kernel.o", "kernel.so", "k.ptx"};
    char path[PATH_SIZE];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

static char *in_folder(const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *data, size_t size)
{
    char path[PATH_SIZE];

    CHECK_OK(opevo_file_write(in_folder(name, path), data, size, &err));
}

/* Destroys the module. */
static opevo_text emitted_of(opevo_module *module, const char *edits_text, opevo_variant_form form,
                             const char *machine)
{
    opevo_edits *edits = parsed(module, edits_text);
    opevo_variant *variant = variant_of(module, edits);
    uint64_t hash = opevo_variant_hash(variant);
    opevo_text text = {0};

    CHECK_OK(opevo_variant_emit(variant, form, machine, 0, &text, &err));
    assert_true(opevo_variant_hash(variant) == hash); /* a clone was changed */
    opevo_variant_destroy(variant);
    opevo_edits_destroy(edits);
    opevo_module_destroy(module);
    return text;
}

static opevo_text emitted(const char *module_name, const char *edits_text, opevo_variant_form form,
                          const char *machine)
{
    return emitted_of(load_module(module_name), edits_text, form, machine);
}

static bool exists(const char *program)
{
    char command[200];

    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0; /* NOLINT(cert-env33-c): the words are ours */
}

/* ---- Denormals ---- */

/* The flag of a module holds for functions that say nothing themselves. */
CHECK_TEST(test_flag_of_denormals)
{
    static const struct {
        const char *attributes;
        int flag;
        bool flushes;
    } cases[] = {{"", 0, false},
                 {"", 1, true},
                 {"\"denormal-fp-math-f32\"=\"ieee,ieee\"", 1, false},
                 {"\"denormal-fp-math\"=\"ieee\"", 1, false},
                 {"\"denormal-fp-math\"=\"preserve-sign\"", 0, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char data[1024], path[PATH_SIZE];
        opevo_module *module = NULL;
        opevo_text text;
        int length = snprintf(data, sizeof data,
                              "target triple = \"nvptx64-nvidia-cuda\"\n"
                              "define ptx_kernel void @f(ptr %%p) #0 {\n"
                              " %%x = load float, ptr %%p\n %%r = fadd float %%x, %%x\n"
                              " store float %%r, ptr %%p\n ret void\n}\n"
                              "attributes #0 = { nounwind %s }\n!llvm.module.flags = !{!0}\n"
                              "!0 = !{i32 4, !\"nvvm-reflect-ftz\", i32 %d}\n",
                              cases[i].attributes, cases[i].flag);

        write_file("flag.ll", data, (size_t)length);
        CHECK_OK(opevo_module_load(in_folder("flag.ll", path), &module, &err));
        text = emitted_of(module, "none", OPEVO_FORM_PTX, NULL);
        assert_int_equal(strstr(opevo_text_string(&text), "add.rn.ftz.f32") != NULL,
                         cases[i].flushes);
        opevo_text_free(&text);
    }
}

/* ---- Forms ---- */

CHECK_TEST(test_names)
{
    static const char *const names[] = {"ll",     "ptx",        "amdgcn-ll", "amdgcn",
                                        "cpu-ll", "cpu-object", "opencl"};
    opevo_variant_form form;

    for (int i = 0; i < 7; i++) {
        assert_true(opevo_variant_form_of(names[i], &form));
        assert_int_equal(form, i);
    }
    assert_false(opevo_variant_form_of("spirv", &form));
}

CHECK_TEST(test_texts)
{
    static const struct {
        opevo_variant_form form;
        const char *machine, *words;
    } cases[] = {
        {OPEVO_FORM_PTX, NULL, ".target sm_70"},
        {OPEVO_FORM_PTX, "sm_75", ".target sm_75"},
        {OPEVO_FORM_PTX, NULL, ".entry tile_product"},
        {OPEVO_FORM_PTX, NULL, "bar.sync"},
        {OPEVO_FORM_AMDGCN_LL, NULL, "amdgpu_kernel void @tile_product"},
        {OPEVO_FORM_AMDGCN_LL, NULL, "@llvm.amdgcn.s.barrier()"},
        {OPEVO_FORM_AMDGCN_LL, NULL, "fence syncscope(\"workgroup\") release"},
        {OPEVO_FORM_AMDGCN_LL, "gfx90a", "\"target-cpu\"=\"gfx90a\""},
        {OPEVO_FORM_CPU_LL, NULL, "call void @gk_barrier()"},
        {OPEVO_FORM_CPU_LL, NULL, "@gk_shared_size = constant i64 512"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_text text = emitted("tile.ll", "none", cases[i].form, cases[i].machine);

        if (!strstr(opevo_text_string(&text), cases[i].words))
            fail_msg("'%s' is missing in %s", cases[i].words, opevo_text_string(&text));
        if (cases[i].form != OPEVO_FORM_PTX)
            assert_null(strstr(opevo_text_string(&text), "llvm.nvvm."));
        opevo_text_free(&text);
    }
}

/* The assembler of NVIDIA accepts the variants of random lists. */
CHECK_TEST(test_ptxas)
{
    opevo_module *module = load_module("tile.ll");
    opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;
    char command[3 * PATH_SIZE], path[PATH_SIZE];

    if (!exists("ptxas")) {
        opevo_module_destroy(module);
        CHECK_SKIP("ptxas is not installed");
    }
    for (size_t i = 0; i < 12; i++) {
        opevo_edits *edits = NULL;
        opevo_text text = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, 1, "ptxas", i);
        CHECK_OK(opevo_edits_sample(module, &settings, 1 + i, &rng, &edits, &err));
        opevo_variant *variant = variant_of(module, edits);
        CHECK_OK(opevo_variant_emit(variant, OPEVO_FORM_PTX, "sm_75", 0, &text, &err));
        write_file("k.ptx", text.data, text.length);
        snprintf(command, sizeof command, "ptxas -arch=sm_75 -o /dev/null %s",
                 in_folder("k.ptx", path));
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the words are ours */
        opevo_text_free(&text);
        opevo_variant_destroy(variant);
        opevo_edits_destroy(edits);
    }
    opevo_module_destroy(module);
}

CHECK_TEST(test_code_object)
{
    opevo_text text;

    if (!exists("ld.lld-" OPEVO_TEST_LLVM))
        CHECK_SKIP("lld-" OPEVO_TEST_LLVM " is not installed");
    text = emitted("tile.ll", "delete U78", OPEVO_FORM_AMDGCN, NULL);
    assert_memory_equal(text.data,
                        "\x7f"
                        "ELF",
                        4);
    assert_int_equal((unsigned char)text.data[18], 224); /* machine: AMD GPU */
    assert_int_equal(text.data[16], 3);                  /* shared object */
    opevo_text_free(&text);
}

/* The lowered kernel computes: the mean of neighbours, work item by work item. */
CHECK_TEST(test_cpu_object)
{
    static const char hooks[] = "int at;\n"
                                "int gk_thread(int axis) { return axis == 0 ? at % 8 : 0; }\n"
                                "int gk_block(int axis) { return axis == 0 ? at / 8 : 0; }\n"
                                "int gk_block_size(int axis) { return axis == 0 ? 8 : 1; }\n"
                                "int gk_grid_size(int axis) { return axis == 0 ? 5 : 1; }\n"
                                "void gk_barrier(void) {}\n";
    opevo_text text = emitted("tile.ll", "none", OPEVO_FORM_CPU_OBJECT, NULL);
    char command[4 * PATH_SIZE], source[PATH_SIZE], object[PATH_SIZE], library[PATH_SIZE];
    float in[ITEMS], out[ITEMS + 1] = {0};
    void *handle;

    write_file("kernel.o", text.data, text.length);
    write_file("hooks.c", hooks, sizeof hooks - 1);
    snprintf(command, sizeof command, "cc -shared -fPIC -o %s %s %s",
             in_folder("kernel.so", library), in_folder("hooks.c", source),
             in_folder("kernel.o", object));
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the words are ours */
    handle = dlopen(library, RTLD_NOW);
    if (!handle)
        fail_msg("%s", dlerror());
    int *at = dlsym(handle, "at");
    uint64_t *shared_size = dlsym(handle, "gk_shared_size");
    void (*smooth)(const float *, float *, int, int);
    *(void **)&smooth = dlsym(handle, "smooth");
    assert_int_equal(*shared_size, 512);
    assert_non_null(dlsym(handle, "gk_shared"));
    for (int i = 0; i < ITEMS; i++)
        in[i] = (float)(i * i % 11);
    for (*at = 0; *at < 40; ++*at)
        smooth(in, out, ITEMS, 0);
    for (int i = 0; i < ITEMS; i++) {
        float left = i > 0 ? in[i - 1] : in[i], right = i < ITEMS - 1 ? in[i + 1] : in[i];

        CHECK_CLOSE(out[i], (left + in[i] + right) / 3, 1e-6);
    }
    assert_true(out[ITEMS] == 0);
    dlclose(handle);
    opevo_text_free(&text);
}

CHECK_TEST(test_diff)
{
    opevo_module *module = load_module("tile.ll");
    opevo_edits *edits = parsed(module, "delete U78"), *none = parsed(module, "none");
    opevo_variant *variant = variant_of(module, edits), *base = variant_of(module, none);
    uint64_t hash = opevo_variant_hash(variant);
    opevo_text text = {0}, empty = {0};

    opevo_variant_diff(variant, &text);
    assert_non_null(strstr(opevo_text_string(&text), "tile_product\n@@ B4 @@\n"));
    assert_non_null(strstr(opevo_text_string(&text),
                           "\n- U78    store float %U76, ptr addrspace(1) %U19, align 4"
                           "  ; tile.c:30\n"));
    assert_null(strstr(opevo_text_string(&text), "\n+ "));
    assert_null(strstr(opevo_text_string(&text), "smooth"));
    opevo_variant_diff(base, &empty);
    assert_int_equal(empty.length, 0);
    assert_true(opevo_variant_hash(variant) == hash);
    opevo_text_free(&text);
    opevo_variant_destroy(variant);
    opevo_variant_destroy(base);
    opevo_edits_destroy(edits);
    opevo_edits_destroy(none);
    opevo_module_destroy(module);
}

/* ---- Hostile files ---- */

/* Exit status of a process that loads the file: 0 loaded, 2 refused with a sentence, 3 refused
 * without; -1 if LLVM ended it. */
static int load_apart(const char *path)
{
    int state = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        opevo_module *module = NULL;
        opevo_error err = {0};

        if (!freopen("/dev/null", "w", stderr))
            _exit(4);
        if (opevo_module_load(path, &module, &err) == OPEVO_OK)
            _exit(0);
        _exit(strlen(err.message) > 15 && !strchr(err.message, '\n') &&
                      err.message[strlen(err.message) - 1] == '.'
                  ? 2
                  : 3);
    }
    assert_int_equal(waitpid(child, &state, 0), child);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

CHECK_TEST(test_refused_files)
{
    static const char *const texts[] = {
        "",
        "garbage",
        "BC\xc0\xde",
        "BC\xc0\xde garbage that is not bitcode at all",
        "define void @f() {\n  ret i32 1\n}\n",
        "target triple = \"nvptx64-nvidia-cuda\"\n",
        "target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f() {\n  ret void\n}\n",
        "define i32 @f(i32 %a) {\n  %b = add i32 %c, 1\n  %c = add i32 %a, 1\n  ret i32 %b\n}\n",
        ("declare i32 @g()\ndeclare i32 @p(...)\n"
         "define void @f() personality ptr @p {\n  %a = invoke i32 @g() to label %x unwind label "
         "%y\n"
         "x:\n  ret void\ny:\n  %l = landingpad i32 cleanup\n  ret void\n}\n"),
        "\x1b[31m",
    };
    char path[PATH_SIZE];

    assert_int_equal(load_apart("/nonexistent.ll"), 2);
    assert_int_equal(load_apart("/"), 2);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file("module.bc", texts[i], strlen(texts[i]));
        if (load_apart(in_folder("module.bc", path)) != 2)
            fail_msg("not refused with a sentence: %s", texts[i]);
    }
}

/* Bitcode with changed or missing bytes is refused or read, or ends the process that reads it. */
CHECK_TEST(test_spoilt_bitcode)
{
    opevo_module *module = load_module("tile.ll");
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module->llvm);
    size_t size = LLVMGetBufferSize(buffer), outcomes[3] = {0};
    char *data = opevo_malloc(size, 1), path[PATH_SIZE];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bitcode", 0);
    write_file("module.bc", LLVMGetBufferStart(buffer), size);
    assert_int_equal(load_apart(in_folder("module.bc", path)), 0);
    for (int i = 0; i < 150; i++) {
        size_t length = i % 3 == 0 ? (size_t)opevo_rng_below(&rng, size) : size;
        int outcome;

        memcpy(data, LLVMGetBufferStart(buffer), size);
        for (int k = 0; k < i % 3 * 4; k++)
            data[opevo_rng_below(&rng, size)] = (char)opevo_rng_below(&rng, 256);
        write_file("module.bc", data, length);
        outcome = load_apart(path);
        assert_int_not_equal(outcome, 3);
        outcomes[outcome == 0 ? 0 : outcome == 2 ? 1 : 2]++;
    }
    print_message("of 150 spoilt files %zu are read, %zu refused, %zu end their process\n",
                  outcomes[0], outcomes[1], outcomes[2]);
    assert_true(outcomes[1] > 50);
    opevo_free(data);
    LLVMDisposeMemoryBuffer(buffer);
    opevo_module_destroy(module);
}

/* What has no counterpart on a machine is said. */
CHECK_TEST(test_unsupported)
{
    static const char shuffle[] =
        "target triple = \"nvptx64-nvidia-cuda\"\n"
        "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
        "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n"
        "  %a = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %n, i32 0, i32 31)\n"
        "  store i32 %a, ptr addrspace(1) %p\n  ret void\n}\n";
    opevo_module *module;
    opevo_edits *none;
    opevo_variant *variant;
    opevo_text text = {0};
    char path[PATH_SIZE];

    write_file("module.bc", shuffle, sizeof shuffle - 1);
    module = load_path(in_folder("module.bc", path));
    none = parsed(module, "none");
    variant = variant_of(module, none);
    CHECK_FAILS(OPEVO_INVALID, "llvm.nvvm.shfl.sync.idx.i32 has no counterpart",
                opevo_variant_emit(variant, OPEVO_FORM_CPU_OBJECT, NULL, 0, &text, &err));
    CHECK_FAILS(OPEVO_INVALID, "llvm.nvvm.shfl.sync.idx.i32 has no counterpart",
                opevo_variant_emit(variant, OPEVO_FORM_AMDGCN_LL, NULL, 0, &text, &err));
    assert_int_equal(text.length, 0);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(none);
    opevo_module_destroy(module);
}

int main(void)
{
    return check_tests(make_folder, remove_folder);
}
