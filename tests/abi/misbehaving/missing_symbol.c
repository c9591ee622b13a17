/* A shared library, but no plugin. It tells when it is loaded. */
#include "tests/abi/misbehaving/mark.h"
#include "zz/stage_abi.h"

ZZ_EXPORT extern const int something_else;
const int something_else = ZZ_ABI_MAJOR;
