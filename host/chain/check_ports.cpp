#include <fmt/format.h>
#include <map>
#include <string_view>

#include "core/diagnostics/nearest_name.hpp"
#include "core/value/read.hpp"
#include "host/chain/resolved_chain.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

/// What is known about a context key at some place of the chain.
struct Available {
  std::int32_t kind = ZZ_NULL;  ///< ZZ_NULL: anything
  std::string type;             ///< of an object; "" when it is not known
  std::string from;             ///< who provides it
};

std::string describe(const Available& key) {
  return key.kind == ZZ_OBJECT && !key.type.empty() ? key.type : kind_name(key.kind);
}

bool fits(const Available& key, const zz_port& port) {
  if (port.kind == ZZ_NULL || key.kind == ZZ_NULL) return true;
  if (port.kind == ZZ_F64 && key.kind == ZZ_I64) return true;
  if (port.kind != key.kind) return false;
  return port.kind != ZZ_OBJECT || port.type == nullptr || key.type.empty() || key.type == port.type;
}

class PortCheck {
 public:
  PortCheck(const ResolvedChain& chain, core::Diagnostics& diagnostics)
      : chain_(chain), diagnostics_(diagnostics) {}

  void run() {
    for (const ContextEntry& entry : chain_.context) {
      available_[entry.key] = {static_cast<std::int32_t>(core::kind_of(entry.value.ref())), "",
                               "the parameters"};
    }
    for (const ResolvedStage& stage : chain_.stages) {
      check_position(stage);
      for (const zz_port& port : consumed_by(*stage.stage)) check(stage, port);
      for (const zz_port& port : provided_by(*stage.stage)) provide(stage, port);
    }
  }

 private:
  void check_position(const ResolvedStage& stage) {
    const bool leaf = (stage.stage->flags & ZZ_STAGE_LEAF) != 0;
    const bool last = &stage == &chain_.stages.back();
    if (leaf && !last) {
      diagnostics_.error(
          stage.mark,
          fmt::format("{} must be the last stage: it opens nothing below itself", stage.stage->name),
          "move it to the end, or remove what follows it");
    }
    if (!leaf && last) {
      diagnostics_.error(
          stage.mark,
          fmt::format("{} cannot be the last stage: it needs a stage below itself", stage.stage->name),
          "a pipeline ends with a stage such as CostModelStage");
    }
  }

  void check(const ResolvedStage& stage, const zz_port& port) {
    const std::string_view key = port.key;
    if (key == "*") return;
    const auto found = available_.find(std::string(key));
    if (found == available_.end()) {
      if ((port.flags & ZZ_OPTIONAL) != 0 || anything_) return;
      diagnostics_.error(stage.mark,
                         fmt::format("{} needs '{}' ({}), which nothing above provides", stage.stage->name,
                                     key, port_type_name(port)),
                         who_provides(stage, key));
      return;
    }
    if (!fits(found->second, port)) {
      diagnostics_.error(stage.mark,
                         fmt::format("{} needs '{}' as {}, but {} gives {}", stage.stage->name, key,
                                     port_type_name(port), found->second.from, describe(found->second)),
                         who_provides(stage, key));
    }
  }

  /// A stage that stands below and provides the key is the usual reason: the order is wrong.
  std::string who_provides(const ResolvedStage& stage, std::string_view key) const {
    for (const ResolvedStage& other : chain_.stages) {
      if (other.number <= stage.number) continue;
      for (const zz_port& port : provided_by(*other.stage)) {
        if (key == port.key) return fmt::format("{} provides it, and must stand above", other.stage->name);
      }
    }
    std::vector<std::string> keys;
    for (const auto& entry : available_) keys.push_back(entry.first);
    const std::string near = core::nearest_name(key, keys);
    return near.empty() || near == key ? "" : fmt::format("there is '{}'", near);
  }

  void provide(const ResolvedStage& stage, const zz_port& port) {
    if (std::string_view(port.key) == "*") {
      anything_ = true;
      return;
    }
    available_[port.key] = {port.kind, text_or_empty(port.type), stage.stage->name};
  }

  const ResolvedChain& chain_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, Available> available_;
  bool anything_ = false;  ///< a stage above provides keys that only its settings name
};

}  // namespace

void check_ports(const ResolvedChain& chain, core::Diagnostics& diagnostics) {
  PortCheck(chain, diagnostics).run();
}

}  // namespace zz::host
