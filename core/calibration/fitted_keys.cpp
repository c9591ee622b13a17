#include "core/calibration/fitted_keys.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

using Kind = FittedKey::Kind;

double& in_port(Port& port, Kind kind) { return kind == Kind::overlap ? port.overlap : port.efficiency; }

/// "memories[l1].ports[r].overlap" as "memories.l1.ports.r.overlap".
std::string with_dots(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (letter == '[')
      text += '.';
    else if (letter != ']')
      text += letter;
  }
  return text;
}

}  // namespace

double FittedKey::value(const Accelerator& accelerator) const {
  if (memory < 0) return accelerator.array.efficiency;
  const Memory& own = accelerator.memories[static_cast<std::size_t>(memory)];
  if (kind == Kind::tile_interval) return own.tile_interval;
  const Port& first = own.ports[static_cast<std::size_t>(std::max(0, port))];
  return kind == Kind::overlap ? first.overlap : first.efficiency;
}

void FittedKey::set(Accelerator& accelerator, double value) const {
  if (memory < 0) {
    accelerator.array.efficiency = value;
    return;
  }
  Memory& own = accelerator.memories[static_cast<std::size_t>(memory)];
  if (kind == Kind::tile_interval) own.tile_interval = value;
  for (std::size_t i = 0; i < own.ports.size() && is_share(); ++i)
    if (port < 0 || port == static_cast<int>(i)) in_port(own.ports[i], kind) = value;
}

std::vector<FittedKey> fitted_keys(const Accelerator& accelerator) {
  std::vector<FittedKey> keys;
  if (!accelerator.array.imc) keys.push_back({"operational_array.efficiency"});
  for (int m = 0; m < static_cast<int>(accelerator.memories.size()); ++m) {
    const Memory& memory = accelerator.memories[static_cast<std::size_t>(m)];
    const std::string here = "memories." + memory.name;
    keys.push_back({here + ".tile_interval", m, -1, Kind::tile_interval});
    for (const auto& [word, kind] :
         {std::pair{"efficiency", Kind::efficiency}, std::pair{"overlap", Kind::overlap}}) {
      if (memory.ports.empty()) continue;
      keys.push_back({fmt::format("{}.{}", here, word), m, -1, kind});
      for (int p = 0; p < static_cast<int>(memory.ports.size()); ++p)
        keys.push_back(
            {fmt::format("{}.ports.{}.{}", here, memory.ports[static_cast<std::size_t>(p)].name, word), m,
             p, kind});
    }
  }
  return keys;
}

namespace {

/// True for a key of all ports of a memory where these have different values: none is that of all.
bool differs_by_port(const FittedKey& key, const Accelerator& accelerator) {
  if (key.memory < 0 || key.port >= 0 || !key.is_share()) return false;
  const std::vector<Port>& ports = accelerator.memories[static_cast<std::size_t>(key.memory)].ports;
  return std::any_of(ports.begin(), ports.end(), [&](const Port& port) {
    return (key.kind == FittedKey::Kind::overlap ? port.overlap : port.efficiency) !=
           key.value(accelerator);
  });
}

bool is_of_port(const FittedKey& key, const FittedKey& of_all) {
  return key.memory == of_all.memory && key.kind == of_all.kind && key.port >= 0;
}

}  // namespace

std::vector<FittedKey> find_fitted_keys(const Accelerator& accelerator,
                                        const std::vector<std::string>& names) {
  const std::vector<FittedKey> all = fitted_keys(accelerator);
  std::vector<FittedKey> found;
  if (names.empty()) {
    for (const FittedKey& key : all) {
      if (key.kind != Kind::efficiency || key.port >= 0 ||
          (key.memory >= 0 && !accelerator.is_topmost(static_cast<std::size_t>(key.memory))))
        continue;
      if (!differs_by_port(key, accelerator))
        found.push_back(key);
      else
        std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                     [&](const FittedKey& other) { return is_of_port(other, key); });
    }
    return found;
  }
  std::vector<std::string> known;
  for (const FittedKey& key : all) known.push_back(key.name);
  for (const std::string& name : names) {
    const auto key = std::find(known.begin(), known.end(), with_dots(name));
    if (key == known.end()) {
      const std::string near = suggestion(with_dots(name), known);
      throw InputError(fmt::format(
          "'{}' is no key of '{}' that can be fitted: efficiency of the array, efficiency and overlap of "
          "ports, and tile_interval of memories can{}{}",
          name, accelerator.name, near.empty() ? "" : "; ", near));
    }
    const FittedKey& one = all[static_cast<std::size_t>(key - known.begin())];
    if (differs_by_port(one, accelerator)) {
      std::string ports;
      for (const FittedKey& other : all)
        if (is_of_port(other, one)) ports += (ports.empty() ? "" : ", ") + other.name;
      throw InputError(fmt::format("the ports of '{}' have different values; name those to be fitted: {}",
                                   one.name, ports));
    }
    const auto clashes = [&](const FittedKey& other) {
      return other.memory == one.memory && other.kind == one.kind &&
             (other.port == one.port || other.port < 0 || one.port < 0);
    };
    if (const auto other = std::find_if(found.begin(), found.end(), clashes); other != found.end())
      throw InputError(fmt::format("'{}' and '{}' are the same constant", name, other->name));
    found.push_back(one);
  }
  return found;
}

}  // namespace zz::core
