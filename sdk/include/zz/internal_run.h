/* zz/internal_run.h - what in-tree plugins learn of the run and the pipeline that they are part of.
 *
 * Not part of the stable ABI, like internal_tier.h: only a plugin of the host's build gets the table.
 */
#ifndef ZZ_INTERNAL_RUN_H
#define ZZ_INTERNAL_RUN_H

#include "zz/stage_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zz_internal_run { /* "zz.internal.run/<zz_host.build>", [any] */
  uint32_t size;
  /* When the run began, as "2026-11-29T08-43-21.123456": the same for all stages of the run. */
  const char* (*started)(void)ZZ_NOEXCEPT;
  /* 1 when a stage below `at` takes `key` from the context and cannot do without it. */
  int32_t (*needed_below)(zz_place* at, const char* key) ZZ_NOEXCEPT;
  /* The const zz::core::Refinements of the run, for stages that prove their result. */
  const void* (*refinements)(void)ZZ_NOEXCEPT;
  /* The name of the only layer that is asked about; "": the whole network is. */
  const char* (*only_layer)(void)ZZ_NOEXCEPT;
  /* Asked by the stage at `at` whose one result would be a list. 1: it may hand the list up in parts, of
   * which the run keeps the rows, a few hundred bytes each, because nothing above looks at evaluations. A
   * part has a map in the place of the evaluation: one of the three keys below, with [evaluation, extra].
   * Lists of none or one have no parts. */
  int32_t (*takes_list_in_parts)(zz_place* at) ZZ_NOEXCEPT;
} zz_internal_run;
#define ZZ_INTERNAL_RUN "zz.internal.run/"
#define ZZ_LIST_BEGINS "list_begins"
#define ZZ_LIST_GOES_ON "list_goes_on"
#define ZZ_LIST_ENDS "list_ends"

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* ZZ_INTERNAL_RUN_H */
