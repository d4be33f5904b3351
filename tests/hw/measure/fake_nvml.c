/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stands for libnvidia-ml in tests: a device that does not say how warm it is. */

#include <stdio.h>
#include <string.h>
#include <time.h>

static char there; /* its address is the device */

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    return 0;
}
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "580.1");
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    *device = &there;
    return strcmp(bus, "0000:10:00.0") != 0 && strcmp(bus, "0000:11:00.0") != 0;
}
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz)
{
    *mhz = which == 1 ? 1980 : 3201;
    return device != &there;
}
int nvmlDeviceGetPerformanceState(void *device, int *state);
int nvmlDeviceGetPerformanceState(void *device, int *state)
{
    *state = 2;
    return device != &there;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = 412300;
    return device != &there;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    struct timespec now; /* 412.3 W all the time */

    clock_gettime(CLOCK_MONOTONIC, &now);
    *millijoules =
        (unsigned long long)(412.3 * (1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec));
    return device != &there;
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    *celsius = 41;
    return device && sensor == 0 ? 3 : 0;
}
