/* A shared library, but no plugin. */
#include "zz/stage_abi.h"

ZZ_EXPORT extern const int something_else;
const int something_else = ZZ_ABI_MAJOR;
