#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "host/boundary/host_table.hpp"
#include "host/chain/chain.hpp"
#include "host/chain/score.hpp"
#include "host/plugins/plugin_library.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "tests/unit/host/made_up_stages.hpp"
#include "zz/internal_tier.h"

using namespace zz;

namespace {

/// Ability of a leaf that has no model for the machine, as it knows only once it is asked.
zz_status refuse_model(zz_stage*, zz_value*, void*, zz_error* error) noexcept {
  constexpr std::string_view words = "the machine has a memory without costs";
  host::host_table().fail(error, ZZ_E_INVALID, words.data(), words.size());
  return ZZ_E_INVALID;
}

const void* cost_model_ability(const zz_stage*, const char* id) noexcept {
  static const zz_stage_cost_model ability{sizeof(zz_stage_cost_model), refuse_model};
  return std::string_view(id) == ZZ_STAGE_COST_MODEL ? &ability : nullptr;
}

}  // namespace

TEST_CASE("orders cannot be scored where the leaf refuses: its code and its words come up") {
  zz_stage_desc leaf = test::made_up_leaf;
  leaf.flags |= ZZ_STAGE_ONE;
  leaf.get_extension = cost_model_ability;
  host::ResolvedPipeline resolved;
  resolved.stages = {test::placed(1, test::made_up_forwarder, "", 0), test::placed(2, leaf, "", 1)};
  // Only a plugin of the host's build is asked for a model.
  host::Plugin plugin = *resolved.stages[1].plugin;
  zz_plugin table = *plugin.table;
  table.build = host::host_table().build;
  plugin.table = &table;
  resolved.stages[1].plugin = &plugin;
  host::Chain chain(resolved);
  const host::Handle context(host::make_context({}));
  const zz_name metric = core::intern("energy_total");
  zz_scorer* scorer = nullptr;
  zz_error error;
  REQUIRE(host::score_table.bind(&chain.first(), context.get(), core::intern("temporal_mapping"), &metric,
                                 1, &scorer, &error) == ZZ_OK);
  const zz_order order{};
  double figure = 0;
  CHECK(host::score_table.orders(scorer, &order, 1, &figure, &error) == ZZ_E_INVALID);
  CHECK(error.code == ZZ_E_INVALID);
  CHECK(error.message.find("a memory without costs") != std::string::npos);
  CHECK(host::score_table.mapping(scorer, &order, &error) == nullptr);
  CHECK(error.code == ZZ_E_INVALID);
  host::score_table.unbind(scorer);
}
