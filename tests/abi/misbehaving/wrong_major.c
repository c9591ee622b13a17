/* A plugin of another major version of the ABI. */
#include "zz/stage_abi.h"

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR + 7,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "test.wrong_major",
    .version = "1",
};
