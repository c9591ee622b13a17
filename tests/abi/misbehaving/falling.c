/* A library that ends the process when it is loaded. */
#include <stdlib.h>

#include "zz/stage_abi.h"

__attribute__((constructor)) static void fall(void) { abort(); }

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {0};
