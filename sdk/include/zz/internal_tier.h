/* zz/internal_tier.h - how in-tree plugins reach the C++ objects behind values.
 *
 * Not part of the stable ABI. Only a plugin whose zz_plugin.build equals the host's gets the table: one
 * that was built in the same tree against the same core library. Third parties read and make the same
 * objects through zz_values.
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
  /* The model by which the leaf directly below `at` evaluates mappings over `ctx`, for mappers that score
   * many: `model` is a std::shared_ptr<const zz::core::CostModel>* and is left alone where the stage below
   * has none to give. */
  zz_status (*cost_model)(zz_place* at, zz_value* ctx, void* model, zz_error* err) ZZ_NOEXCEPT;
  /* For a search that was interrupted and hands on the best that it has: from now on the run is not asked
   * to stop, until it is interrupted again. */
  void (*take_interruption)(void) ZZ_NOEXCEPT;
  /* The const zz::core::Files of the run, which readers take. */
  const void* (*files)(void)ZZ_NOEXCEPT;
  /* The zz::core::AnswersByStore of the run; a session's outlives it. */
  void* (*answers)(void)ZZ_NOEXCEPT;
  /* 1 once the run has been asked to stop, also where a search has taken the interruption. */
  int32_t (*interrupted)(void) ZZ_NOEXCEPT;
  /* The stage will write that file, with all of its results. ZZ_E_INVALID when another stage of the run has
   * said so before: one would take the place of the other. */
  zz_status (*claim_file)(zz_place* at, zz_str path, zz_error* err) ZZ_NOEXCEPT;
} zz_internal;
#define ZZ_INTERNAL "zz.internal/"

/* Ability of an in-tree leaf: `model` as above. [serial] or [any] as `open` */
typedef struct zz_stage_cost_model {
  uint32_t size;
  zz_status (*get)(zz_stage* stage, zz_value* ctx, void* model, zz_error* err) ZZ_NOEXCEPT;
} zz_stage_cost_model;
#define ZZ_STAGE_COST_MODEL "zz.internal.stage.cost_model"

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* ZZ_INTERNAL_TIER_H */
