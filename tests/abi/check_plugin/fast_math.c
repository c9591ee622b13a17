/* A plugin that does when it is loaded what the start-up code of -ffast-math does, whose init takes long,
 * and which exports more than its table. */
#include <time.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "zz/stage_abi.h"

ZZ_EXPORT int another_symbol = 1;

__attribute__((constructor)) static void set_flush_to_zero(void) {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

static zz_status init(const zz_host* host, zz_error* err) ZZ_NOEXCEPT {
  (void)host, (void)err;
  const clock_t start = clock();
  while (clock() - start < CLOCKS_PER_SEC / 4) {
  }
  return ZZ_OK;
}

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "test.fast_math",
    .version = "1",
    .init = init,
};
