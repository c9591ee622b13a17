/* A plugin that cannot live with this minor version of the ABI, only with a later one. */
#include "zz/stage_abi.h"

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin) + 16,
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR + 6,
    .id = "test.newer_minor",
    .version = "1",
};
