#include "host/boundary/run_table.hpp"

#include <string_view>

#include "host/base/run.hpp"
#include "host/chain/place.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

const char* start_of_run() noexcept { return current_run().started.c_str(); }

std::int32_t needed_below(zz_place* at, const char* key) noexcept {
  for (const zz_place* place = at->below; place != nullptr; place = place->below) {
    if (place->stands_for_setting) continue;
    for (const zz_port& port : consumed_by(*place->description))
      if ((port.flags & ZZ_OPTIONAL) == 0 && std::string_view(port.key) == key) return 1;
  }
  return 0;
}

const void* refinements_of_run() noexcept { return &current_run().refinements; }
const char* only_layer_of_run() noexcept { return current_run().only_layer.c_str(); }

std::int32_t takes_list_in_parts(zz_place* at) noexcept {
  return current_run().rows_alone && at != nullptr && at->is_result_of_run && !at->rehearses ? 1 : 0;
}

}  // namespace

const zz_internal_run run_table{sizeof(zz_internal_run), start_of_run,      needed_below,
                                refinements_of_run,      only_layer_of_run, takes_list_in_parts};

}  // namespace zz::host
