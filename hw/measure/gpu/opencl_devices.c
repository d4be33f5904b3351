/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenCL's platforms and devices. A device has a number among those of all platforms, in the order
 * of the loader. */

#include "opencl_internal.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "memory_folder_internal.h"

enum { DEVICES_MOST = 64 };

#define MISSING                                                                                    \
    "install a driver, on Debian ocl-icd-libopencl1 with that of the device, or with "             \
    "pocl-opencl-icd, which computes on the CPU"

/* PoCL's files, unless the user wants them somewhere: what it compiles for a launch would stay in
 * its cache for ever, and it waits until the disk has each binary that it loads. */
static void keep_in_memory(void)
{
    const char *folder = NULL;

    if (!getenv("POCL_CACHE_DIR") && !getenv("POCL_KERNEL_CACHE"))
        folder = opevo_i_process_memory_folder();
    if (folder)
        setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", "0", 0);
}

const opevo_i_opencl_functions *opevo_i_opencl_open(opevo_error *err)
{
#define SYMBOL(name) {offsetof(opevo_i_opencl_functions, name), #name},
    static const struct {
        size_t offset;
        const char *name;
    } symbols[] = {OPEVO_I_OPENCL_FUNCTIONS(SYMBOL)};
#undef SYMBOL
    static opevo_i_opencl_functions functions;
    static bool opened;
    void *library = NULL;

    if (opened)
        return &functions;
    keep_in_memory();
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        OPEVO_FAIL(err, OPEVO_IO, "libOpenCL.so.1 not found: " MISSING ".");
        return NULL;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(library, symbols[i].name);

        if (!found) {
            OPEVO_FAIL(err, OPEVO_IO, "libOpenCL.so.1 has no function %s: OpenCL 1.2 is needed.",
                       symbols[i].name);
            return NULL;
        }
        memcpy((char *)&functions + symbols[i].offset, &found, sizeof found);
    }
    opened = true;
    return &functions;
}

/* All of them, at most DEVICES_MOST. Errors: IO without any. */
static opevo_status list_devices(opevo_i_opencl_device *out, size_t *count, opevo_error *err)
{
    const opevo_i_opencl_functions *call = opevo_i_opencl_open(err);
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;

    *count = 0;
    if (!call)
        return OPEVO_IO;
    if (call->clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        cl_device_id devices[DEVICES_MOST];
        cl_uint found = 0;

        if (call->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES_MOST, devices, &found) !=
            CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < found && *count < DEVICES_MOST; d++)
            out[(*count)++] = (opevo_i_opencl_device){platforms[p], devices[d], p, d};
    }
    return *count ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_IO, "OpenCL finds no device: " MISSING ".");
}

opevo_status opevo_i_opencl_device_at(unsigned ordinal, opevo_i_opencl_device *out,
                                      opevo_error *err)
{
    opevo_i_opencl_device devices[DEVICES_MOST];
    size_t count = 0;
    opevo_status status = list_devices(devices, &count, err);

    if (status != OPEVO_OK)
        return status;
    if (ordinal >= count)
        return OPEVO_FAIL(err, OPEVO_IO, "opencl:%u: there are %zu devices, numbered from 0.",
                          ordinal, count);
    *out = devices[ordinal];
    return OPEVO_OK;
}

/* ---- What a device says --------------------------------------------------------------------- */

/* Spaces in a row and at the ends are the driver's. */
static void squeeze(char *text)
{
    size_t kept = 0;

    for (const char *at = text; *at; at++) {
        bool space = isspace((unsigned char)*at) != 0;

        if (!space || (kept && text[kept - 1] != ' '))
            text[kept++] = space ? ' ' : *at;
    }
    while (kept && text[kept - 1] == ' ')
        kept--;
    text[kept] = '\0';
}

static void device_text(const opevo_i_opencl_device *device, cl_device_info what, char *out,
                        size_t size)
{
    char text[1024] = "";

    (void)opevo_i_opencl_open(NULL)->clGetDeviceInfo(device->device, what, sizeof text - 1, text,
                                                     NULL);
    squeeze(text);
    snprintf(out, size, "%s", text);
}

static void platform_text(const opevo_i_opencl_device *device, cl_platform_info what, char *out,
                          size_t size)
{
    char text[1024] = "";

    (void)opevo_i_opencl_open(NULL)->clGetPlatformInfo(device->platform, what, sizeof text - 1,
                                                       text, NULL);
    squeeze(text);
    snprintf(out, size, "%s", text);
}

static uint64_t device_number(const opevo_i_opencl_device *device, cl_device_info what)
{
    union {
        cl_uint small;
        cl_ulong large;
    } value = {.large = 0};
    size_t size = 0;

    if (opevo_i_opencl_open(NULL)->clGetDeviceInfo(device->device, what, sizeof value, &value,
                                                   &size) != CL_SUCCESS)
        return 0;
    return size == sizeof value.small ? value.small : value.large;
}

opevo_status opevo_i_opencl_describe(unsigned ordinal, opevo_i_gpu_facts *out, opevo_error *err)
{
    opevo_i_opencl_device device;
    opevo_status status = opevo_i_opencl_device_at(ordinal, &device, err);
    char driver[80], version[120];

    if (status != OPEVO_OK)
        return status;
    device_text(&device, CL_DEVICE_NAME, out->name, sizeof out->name);
    device_text(&device, CL_DRIVER_VERSION, driver, sizeof driver);
    platform_text(&device, CL_PLATFORM_VERSION, version, sizeof version);
    snprintf(out->software, sizeof out->software, "driver %s, %s", driver, version);
    snprintf(out->bus, sizeof out->bus, "%u.%u", device.platform_number, device.number);
    out->cores = (int)device_number(&device, CL_DEVICE_MAX_COMPUTE_UNITS);
    out->memory_bytes = device_number(&device, CL_DEVICE_GLOBAL_MEM_SIZE);
    out->l2_bytes = device_number(&device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    out->threads = device_number(&device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    out->shared_bytes = device_number(&device, CL_DEVICE_LOCAL_MEM_SIZE);
    out->rounds_quotients = (device_number(&device, CL_DEVICE_SINGLE_FP_CONFIG) &
                             CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    out->on_host = (device_number(&device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    if (out->on_host)
        out->vector_bits =
            32 * (unsigned)device_number(&device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    return OPEVO_OK;
}

/* ---- By name -------------------------------------------------------------------------------- */

static bool has_word(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; *text; text++) {
        if (strncasecmp(text, part, length) == 0)
            return true;
    }
    return false;
}

/* "PLATFORM.DEVICE", two numbers. */
static bool parse_pair(const char *which, uint64_t *platform, uint64_t *device)
{
    const char *dot = strchr(which, '.');
    char first[16];

    if (!dot || dot - which >= (ptrdiff_t)sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(dot - which), which);
    return opevo_parse_u64(first, platform) && opevo_parse_u64(dot + 1, device);
}

/* Whether it is the device that `which` asks for, by two numbers or a part of a name. */
static bool is_asked(const opevo_i_opencl_device *device, const char *which)
{
    uint64_t platform = 0, number = 0;
    char name[160], vendor[160];

    if (parse_pair(which, &platform, &number))
        return device->platform_number == platform && device->number == number;
    device_text(device, CL_DEVICE_NAME, name, sizeof name);
    platform_text(device, CL_PLATFORM_NAME, vendor, sizeof vendor);
    return has_word(name, which) || has_word(vendor, which);
}

opevo_status opevo_i_opencl_find(const char *which, unsigned *ordinal, opevo_error *err)
{
    opevo_i_opencl_device devices[DEVICES_MOST];
    size_t count = 0, matches = 0;
    uint64_t number = 0;
    opevo_status status = OPEVO_OK;

    if (opevo_parse_u64(which, &number) && number < DEVICES_MOST) {
        *ordinal = (unsigned)number;
        return OPEVO_OK;
    }
    status = list_devices(devices, &count, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (!is_asked(&devices[i], which))
            continue;
        *ordinal = matches++ ? *ordinal : (unsigned)i;
    }
    if (status == OPEVO_OK && matches != 1)
        return OPEVO_FAIL(err, OPEVO_IO,
                          "opencl:%.80s: %zu of %zu devices have this in their name or in that of "
                          "their platform; give a number, PLATFORM.DEVICE, or more of the name "
                          "(opevo devices lists them).",
                          which, matches, count);
    return status;
}

unsigned opevo_i_opencl_cpu_cores(const char *which)
{
    opevo_i_gpu_facts facts = {.driver = 0};
    unsigned ordinal = 0;

    return opevo_i_opencl_find(which, &ordinal, NULL) == OPEVO_OK &&
                   opevo_i_opencl_describe(ordinal, &facts, NULL) == OPEVO_OK && facts.on_host
               ? (unsigned)facts.cores
               : 0;
}

/* Bytes of a cache of a device that computes here; 0 if unknown. */
static uint64_t host_cache(const opevo_i_gpu_facts *facts, int name)
{
    long bytes = facts->on_host ? sysconf(name) : 0;

    return bytes > 0 ? (uint64_t)bytes : 0;
}

void opevo_i_opencl_list(void (*add)(void *context, const opevo_hardware *row), void *context)
{
    opevo_i_opencl_device devices[DEVICES_MOST];
    opevo_error err = {OPEVO_OK, ""};
    size_t count = 0;

    if (list_devices(devices, &count, &err) != OPEVO_OK)
        add(context, &(opevo_hardware){.name = "opencl", .title = err.message, .facts = ""});
    for (size_t i = 0; i < count; i++) {
        opevo_i_gpu_facts facts = {.driver = 0};
        char name[32], words[512], identity[512];

        if (opevo_i_opencl_describe((unsigned)i, &facts, NULL) != OPEVO_OK)
            continue;
        snprintf(name, sizeof name, "opencl:%zu", i);
        snprintf(words, sizeof words,
                 "opencl:%s, %s, work groups of %llu, %llu KiB of local memory", facts.bus,
                 facts.software, (unsigned long long)facts.threads,
                 (unsigned long long)facts.shared_bytes >> 10);
        snprintf(identity, sizeof identity, "%s, %s", facts.name, facts.software);
        add(context, &(opevo_hardware){.name = name,
                                       .present = true,
                                       .title = facts.name,
                                       .identity = identity,
                                       .cores = (unsigned)facts.cores,
                                       .vector_bits = facts.vector_bits,
                                       .l1_bytes = host_cache(&facts, _SC_LEVEL1_DCACHE_SIZE),
                                       .l2_bytes = host_cache(&facts, _SC_LEVEL2_CACHE_SIZE),
                                       .memory_bytes = facts.memory_bytes,
                                       .facts = words,
                                       .no_energy = "OpenCL has no counter of energy"});
    }
}

const char *opevo_i_opencl_words(int code)
{
#define WORDS(name)                                                                                \
    case name:                                                                                     \
        return #name
    switch (code) {
        WORDS(CL_DEVICE_NOT_FOUND);
        WORDS(CL_DEVICE_NOT_AVAILABLE);
        WORDS(CL_COMPILER_NOT_AVAILABLE);
        WORDS(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        WORDS(CL_OUT_OF_RESOURCES);
        WORDS(CL_OUT_OF_HOST_MEMORY);
        WORDS(CL_PROFILING_INFO_NOT_AVAILABLE);
        WORDS(CL_BUILD_PROGRAM_FAILURE);
        WORDS(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        WORDS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        WORDS(CL_INVALID_VALUE);
        WORDS(CL_INVALID_DEVICE);
        WORDS(CL_INVALID_CONTEXT);
        WORDS(CL_INVALID_COMMAND_QUEUE);
        WORDS(CL_INVALID_MEM_OBJECT);
        WORDS(CL_INVALID_BINARY);
        WORDS(CL_INVALID_BUILD_OPTIONS);
        WORDS(CL_INVALID_PROGRAM);
        WORDS(CL_INVALID_PROGRAM_EXECUTABLE);
        WORDS(CL_INVALID_KERNEL_NAME);
        WORDS(CL_INVALID_KERNEL);
        WORDS(CL_INVALID_ARG_INDEX);
        WORDS(CL_INVALID_ARG_VALUE);
        WORDS(CL_INVALID_ARG_SIZE);
        WORDS(CL_INVALID_KERNEL_ARGS);
        WORDS(CL_INVALID_WORK_DIMENSION);
        WORDS(CL_INVALID_WORK_GROUP_SIZE);
        WORDS(CL_INVALID_WORK_ITEM_SIZE);
        WORDS(CL_INVALID_GLOBAL_WORK_SIZE);
        WORDS(CL_INVALID_BUFFER_SIZE);
    case OPEVO_I_OPENCL_SIGNAL:
        return "the kernel got a fatal signal";
    default:
        return "";
    }
#undef WORDS
}
