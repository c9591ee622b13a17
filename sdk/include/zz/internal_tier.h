/* zz/internal_tier.h - how in-tree plugins reach the C++ objects behind values.
 *
 * Not part of the promise: the table is handed out only to a plugin whose zz_plugin.build equals the
 * host's, that is, one built in the same tree against the same core library. Third parties read and
 * make the same objects through zz_values.
 */
#ifndef ZZ_INTERNAL_TIER_H
#define ZZ_INTERNAL_TIER_H

#include "zz/stage_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zz_internal { /* "zz.internal/<zz_host.build>", [any] */
  uint32_t size;
  /* The zz::core::Value behind a handle; borrowed, and back again (a copy is made; given). */
  const void* (*value)(const zz_value* v)ZZ_NOEXCEPT;
  zz_value* (*wrap)(const void* core_value)ZZ_NOEXCEPT;
} zz_internal;
#define ZZ_INTERNAL "zz.internal/"

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* ZZ_INTERNAL_TIER_H */
