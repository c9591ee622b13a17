#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/evaluation.hpp"

namespace zz::core {

/// How zz came to an evaluation.
struct Origin {
  CostModelOptions options;
  double times = 1;  ///< so often the layer is in the figures (scale())
};

/// The options under which the objects of an evaluation give its figures; none where they give others, as
/// when a plugin made or changed it. Rules with exceptions are not looked for.
std::optional<Origin> origin_of(const Evaluation& evaluation);

/// Something that would make layers faster, and what is left of their latency then.
struct Help {
  /// `wider`: a port moves more bits a cycle. `split`: an operand gets a port of its own for one direction,
  /// as wide. `together`: several ports are wider, where no single one helps as much. `memory`: larger.
  /// `unrolling`: another one, searched. `unrolling and ports`: the same, with wider ports that the array
  /// stands behind.
  std::string kind;
  std::string change;   ///< "dram rw_port_1 2 x as wide"
  std::string mapping;  ///< "same, exact"; what became of the mapping
  double latency = 0;   ///< cycles, with it
  double saved = 0;     ///< cycles
  std::optional<double>
      energy;  ///< pJ, with it; none of ports, whose cost of an access is one of their width
  int changes = 1;
};

struct HelpOptions {
  std::int64_t factor = 2;          ///< wider, larger
  bool search = false;              ///< also other unrollings
  double seconds = 1;               ///< of a search, processor time for each layer
  double least = 0.01;              ///< of the latency; what saves less is none
  std::function<bool()> cancelled;  ///< of a search; may be empty
};

/// What would make these layers faster together, most first; of equals what changes less, then what is
/// earlier in the accelerator's file. Each change is evaluated again, in every layer and with the mapping
/// that it has, but where `mapping` says otherwise. A layer without an origin stays as it is.
///
/// An accelerator with a part of that name has the change. `layers` are evaluations of single layers.
std::vector<Help> helps_for(std::span<const Evaluation* const> layers, const HelpOptions& options = {});

}  // namespace zz::core
