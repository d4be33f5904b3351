/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opening the vendors' libraries, and what they say about their devices. Libraries stay open: the
 * drivers do not like to be unloaded. */

#include "gpu_internal.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *why_no_energy(const char *bus);

#define DRIVER_SYMBOL(member, cuda, hip, parameters)                                               \
    {offsetof(opevo_i_gpu_driver, member), cuda, hip},
#define RTC_SYMBOL(member, cuda, hip, parameters) {offsetof(opevo_i_gpu_rtc, member), cuda, hip},
static const opevo_i_gpu_symbol driver_symbols[] = {OPEVO_I_GPU_FUNCTIONS(DRIVER_SYMBOL)};
static const opevo_i_gpu_symbol rtc_symbols[] = {OPEVO_I_RTC_FUNCTIONS(RTC_SYMBOL)};

void *opevo_i_gpu_library(const char *const *names)
{
    void *library = NULL;

    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL);
    return library;
}

opevo_status opevo_i_gpu_look_up(const opevo_i_gpu_vendor *vendor, void *library,
                                 const opevo_i_gpu_symbol *symbols, size_t count, void *out,
                                 opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = vendor->hip ? symbols[i].hip : symbols[i].cuda;
        void *found = *name ? dlsym(library, name) : NULL;

        if (*name && !found)
            return OPEVO_FAIL(err, OPEVO_IO, "the library of %s has no function %s: it is too old.",
                              vendor->title, name);
        memcpy((char *)out + symbols[i].offset, &found, sizeof found);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_gpu_driver_open(const opevo_i_gpu_vendor *vendor, opevo_i_gpu_driver *out,
                                     opevo_error *err)
{
    void *library = NULL;
    opevo_i_gpu_driver driver = {.start = NULL, .wait = NULL}; /* only OpenCL has these */
    opevo_status status = OPEVO_OK;
    int code = 0;

    if (vendor->own)
        return vendor->own->open(out, err);
    library = opevo_i_gpu_library(vendor->driver_libraries);
    if (!library)
        return OPEVO_FAIL(err, OPEVO_IO, "%s not found: %s.", vendor->driver_libraries[0],
                          vendor->driver_missing);
    status = opevo_i_gpu_look_up(vendor, library, driver_symbols,
                                 sizeof driver_symbols / sizeof *driver_symbols, &driver, err);
    if (status != OPEVO_OK)
        return status;
    code = driver.init(0);
    if (code)
        return OPEVO_FAIL(err, OPEVO_IO, "the driver of %s cannot be started: error %d (%s).",
                          vendor->title, code, opevo_i_gpu_words(vendor, code));
    *out = driver;
    return OPEVO_OK;
}

opevo_status opevo_i_gpu_rtc_open(const opevo_i_gpu_vendor *vendor, opevo_i_gpu_rtc *out,
                                  opevo_error *err)
{
    void *library = opevo_i_gpu_library(vendor->rtc_libraries);

    if (!library)
        return OPEVO_FAIL(err, OPEVO_IO, "%s not found: %s.", vendor->rtc_libraries[0],
                          vendor->rtc_missing);
    return opevo_i_gpu_look_up(vendor, library, rtc_symbols,
                               sizeof rtc_symbols / sizeof *rtc_symbols, out, err);
}

/* CUDA: int (code, const char **); HIP: const char *(code). */
const char *opevo_i_gpu_words(const opevo_i_gpu_vendor *vendor, int code)
{
    void *library = NULL;
    void *found = NULL;
    const char *words = NULL;

    if (vendor->own)
        return vendor->own->words(code);
    library = opevo_i_gpu_library(vendor->driver_libraries);
    if (library)
        found = dlsym(library, vendor->hip ? "hipGetErrorString" : "cuGetErrorString");
    if (!found)
        return "";
    if (vendor->hip) {
        const char *(*function)(int) = NULL;

        memcpy(&function, &found, sizeof found);
        words = function(code);
    } else {
        int (*function)(int, const char **) = NULL;

        memcpy(&function, &found, sizeof found);
        if (function(code, &words) != 0)
            words = NULL;
    }
    return words ? words : "";
}

int opevo_i_gpu_launch(const opevo_i_gpu_driver *driver, void *function,
                       const opevo_i_gpu_start *what)
{
    const opevo_launch *shape = &what->shape;
    void *arguments[OPEVO_I_GPU_ARGUMENTS];

    if (driver->start)
        return driver->start(function, what);
    for (size_t i = 0; i < what->count; i++)
        memcpy(&arguments[i], &what->arguments[i].value, sizeof *arguments);
    return driver->launch(function, shape->grid[0], shape->grid[1], shape->grid[2], shape->block[0],
                          shape->block[1], shape->block[2], shape->dynamic_shared_bytes, NULL,
                          arguments, NULL);
}

void opevo_i_gpu_nap(const opevo_i_gpu_driver *driver, void *event)
{
    const struct timespec nap = {.tv_nsec = 20000};

    if (driver->wait)
        driver->wait(event);
    else
        nanosleep(&nap, NULL);
}

int opevo_i_gpu_enter(const opevo_i_gpu_driver *driver, unsigned ordinal, void **start, void **end)
{
    void *context = NULL;
    int code = driver->set_device ? driver->set_device((int)ordinal)
                                  : driver->retain_context(&context, (int)ordinal);

    if (!code && context)
        code = driver->set_context(context);
    if (!code)
        code = driver->create_event(start, 0);
    return code ? code : driver->create_event(end, 0);
}

/* ---- Devices -------------------------------------------------------------------------------- */

opevo_status opevo_i_gpu_ordinal(const opevo_i_gpu_vendor *vendor, const char *which,
                                 unsigned *ordinal, opevo_error *err)
{
    uint64_t number = 0;

    if (vendor->own)
        return vendor->own->find(which, ordinal, err);
    if (!opevo_parse_u64(which, &number) || number > 1000)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%.80s is not a device; give a number from 0.",
                          vendor->kind, which);
    *ordinal = (unsigned)number;
    return OPEVO_OK;
}

void opevo_i_gpu_turn_name(const opevo_i_gpu_vendor *vendor, const opevo_i_gpu_facts *facts,
                           char *out, size_t size)
{
    snprintf(out, size, "%s-%s", vendor->kind, facts->bus);
}

/* Numbers of the attributes in cuda.h; HIP numbers its own differently from release to release. */
enum { CUDA_CORES = 16, CUDA_L2_BYTES = 38, CUDA_MAJOR = 75, CUDA_MINOR = 76 };

opevo_status opevo_i_gpu_describe(const opevo_i_gpu_vendor *vendor,
                                  const opevo_i_gpu_driver *driver, unsigned ordinal,
                                  opevo_i_gpu_facts *out, opevo_error *err)
{
    int count = 0;
    int device = (int)ordinal;
    int major = 0;
    int minor = 0;
    int l2 = 0;
    int code = 0;

    *out = (opevo_i_gpu_facts){.driver = 0};
    if (vendor->own)
        return vendor->own->describe(ordinal, out, err);
    code = driver->device_count(&count);
    if (code || count == 0)
        return OPEVO_FAIL(err, OPEVO_IO, "the driver of %s finds no device%s%s.", vendor->title,
                          code ? ": " : "", code ? opevo_i_gpu_words(vendor, code) : "");
    if (device >= count)
        return OPEVO_FAIL(err, OPEVO_IO, "%s:%u: there are %d devices, numbered from 0.",
                          vendor->kind, ordinal, count);
    code = driver->device_name(out->name, sizeof out->name, device);
    if (!code)
        code = driver->device_memory(&out->memory_bytes, device);
    if (!code)
        code = driver->device_bus(out->bus, sizeof out->bus, device);
    if (code)
        return OPEVO_FAIL(err, OPEVO_IO, "%s:%u: error %d (%s).", vendor->kind, ordinal, code,
                          opevo_i_gpu_words(vendor, code));
    driver->driver_version(&out->driver);
    if (vendor->hip)
        return OPEVO_OK;
    if (driver->attribute(&major, CUDA_MAJOR, device) ||
        driver->attribute(&minor, CUDA_MINOR, device) ||
        driver->attribute(&out->cores, CUDA_CORES, device) ||
        driver->attribute(&l2, CUDA_L2_BYTES, device))
        return OPEVO_FAIL(err, OPEVO_IO, "%s:%u does not report its model.", vendor->kind, ordinal);
    out->l2_bytes = (size_t)l2;
    snprintf(out->arch, sizeof out->arch, "sm_%d%d", major, minor);
    return OPEVO_OK;
}

static void add_missing(const opevo_i_gpu_vendor *vendor, const char *why,
                        void (*add)(void *context, const opevo_hardware *row), void *context)
{
    add(context, &(opevo_hardware){.name = vendor->kind, .title = why, .facts = ""});
}

void opevo_i_gpu_list(const opevo_i_gpu_vendor *vendor,
                      void (*add)(void *context, const opevo_hardware *row), void *context)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_i_gpu_driver driver;
    opevo_i_gpu_rtc rtc;
    int count = 0;

    if (vendor->own) {
        vendor->own->list(add, context);
        return;
    }
    if (opevo_i_gpu_driver_open(vendor, &driver, &err) ||
        opevo_i_gpu_rtc_open(vendor, &rtc, &err)) {
        add_missing(vendor, err.message, add, context);
        return;
    }
    if (driver.device_count(&count) || count == 0)
        add_missing(vendor, "the driver finds no device.", add, context);
    for (int i = 0; i < count; i++) {
        opevo_i_gpu_facts facts;
        char name[32];
        char state[128];
        char driver_words[64];
        char words[320];
        const char *no_energy = "no counter of energy is known for HIP";

        if (opevo_i_gpu_describe(vendor, &driver, (unsigned)i, &facts, &err))
            continue;
        snprintf(name, sizeof name, "%s:%d", vendor->kind, i);
        state[0] = '\0';
        driver_words[0] = '\0';
        if (vendor->nvml) {
            opevo_i_gpu_nvml_state(facts.bus, state, sizeof state);
            opevo_i_gpu_nvml_driver(driver_words, sizeof driver_words);
            no_energy = why_no_energy(facts.bus);
        }
        snprintf(words, sizeof words, "%s%s%s %d%s%s%s%s", facts.arch, *facts.arch ? ", " : "",
                 vendor->title, facts.driver, *driver_words ? ", driver " : "", driver_words,
                 *state ? ", " : "", state);
        add(context, &(opevo_hardware){.name = name,
                                       .present = true,
                                       .title = facts.name,
                                       .cores = (unsigned)facts.cores,
                                       .memory_bytes = facts.memory_bytes,
                                       .facts = words,
                                       .energy = no_energy ? NULL : "NVML",
                                       .no_energy = no_energy});
    }
}

/* ---- NVML ----------------------------------------------------------------------------------- */

typedef struct nvml {
    int (*init)(void);
    int (*version)(char *text, unsigned size);
    int (*find)(const char *bus, void **device);
    int (*clock)(void *device, int which, unsigned *mhz);
    int (*state)(void *device, int *state);
    int (*power)(void *device, unsigned *milliwatts);
    int (*heat)(void *device, int sensor, unsigned *celsius);
    int (*energy)(void *device, unsigned long long *millijoules); /* NULL: an older library */
} nvml;

static const struct {
    size_t offset;
    const char *name;
} nvml_symbols[] = {
    {offsetof(nvml, init), "nvmlInit_v2"},
    {offsetof(nvml, version), "nvmlSystemGetDriverVersion"},
    {offsetof(nvml, find), "nvmlDeviceGetHandleByPciBusId_v2"},
    {offsetof(nvml, clock), "nvmlDeviceGetClockInfo"},
    {offsetof(nvml, state), "nvmlDeviceGetPerformanceState"},
    {offsetof(nvml, power), "nvmlDeviceGetPowerUsage"},
    {offsetof(nvml, heat), "nvmlDeviceGetTemperature"},
};

static bool open_nvml(nvml *out)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_GLOBAL);

    for (size_t i = 0; library && i < sizeof nvml_symbols / sizeof *nvml_symbols; i++) {
        void *found = dlsym(library, nvml_symbols[i].name);

        if (!found)
            return false;
        memcpy((char *)out + nvml_symbols[i].offset, &found, sizeof found);
    }
    if (library) {
        void *found = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");

        memcpy(&out->energy, &found, sizeof found);
    }
    return library && out->init() == 0;
}

/* NULL where it cannot be had. */
static const nvml *the_nvml(void)
{
    static nvml library;
    static int usable = -1; /* not tried yet */

    if (usable < 0)
        usable = open_nvml(&library);
    return usable ? &library : NULL;
}

void opevo_i_gpu_nvml_state(const char *bus, char *out, size_t size)
{
    enum { CLOCK_SM = 1, TEMPERATURE_GPU = 0 };
    const nvml *library = the_nvml();
    opevo_text words = {0};
    void *device = NULL;
    unsigned number = 0;
    int state = 0;

    *out = '\0';
    if (!library || library->find(bus, &device))
        return;
    if (!library->clock(device, CLOCK_SM, &number))
        opevo_text_printf(&words, "SM clock %u MHz", number);
    if (!library->state(device, &state))
        opevo_text_printf(&words, "%sP%d", words.length ? ", " : "", state);
    if (!library->power(device, &number)) /* mW */
        opevo_text_printf(&words, "%s%u W", words.length ? ", " : "", (number + 500) / 1000);
    if (!library->heat(device, TEMPERATURE_GPU, &number))
        opevo_text_printf(&words, "%s%u C", words.length ? ", " : "", number);
    snprintf(out, size, "%s", opevo_text_string(&words));
    opevo_text_free(&words);
}

double opevo_i_gpu_nvml_energy_j(const char *bus)
{
    const nvml *library = the_nvml();
    void *device = NULL;
    unsigned long long millijoules = 0;

    if (!library || !library->energy || library->find(bus, &device) ||
        library->energy(device, &millijoules))
        return NAN;
    return (double)millijoules / 1e3;
}

/* Why NVML does not say the energy, as a clause; NULL where it does. */
static const char *why_no_energy(const char *bus)
{
    const nvml *library = the_nvml();

    if (!library)
        return "NVML (libnvidia-ml.so.1) is missing";
    if (!library->energy)
        return "this version of NVML has no energy counter";
    return isnan(opevo_i_gpu_nvml_energy_j(bus)) ? "the device has no counter of energy" : NULL;
}

void opevo_i_gpu_nvml_driver(char *out, size_t size)
{
    const nvml *library = the_nvml();

    if (!library || library->version(out, (unsigned)size))
        *out = '\0';
}
