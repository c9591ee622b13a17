/* A plugin that calls itself one of zz. */
#include "zz/stage_abi.h"

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "org.zz.reduce",
    .version = "1",
};
