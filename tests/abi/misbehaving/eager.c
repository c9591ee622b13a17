/* A sound plugin without stages, which tells when it is loaded. */
#include "tests/abi/misbehaving/mark.h"
#include "zz/stage_abi.h"

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = 1,
    .id = "test.eager",
    .version = "1",
};
