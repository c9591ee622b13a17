#include "host/chain/named_keys.hpp"

#include <algorithm>
#include <string_view>

#include "host/values/stage_table.hpp"

namespace zz::host {

bool names_settings_alone(const zz_stage_desc& stage) {
  const auto ports = provided_by(stage);
  return std::any_of(ports.begin(), ports.end(), [](const zz_port& port) {
    return std::string_view(port.key) == "*" && text_or_empty(port.type) == "setting";
  });
}

}  // namespace zz::host
