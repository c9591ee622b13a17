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

/// Why nobody can say what a layer would cost on another machine: half a sentence. "" where it can be
/// evaluated again: its objects give its figures by its own `cost_model`.
std::string why_not_repeatable(const Evaluation& evaluation);

/// Makes a port, or a memory, so many times as wide, or as large. An accelerator without it stays as it is.
void widen(Accelerator& accelerator, const std::string& memory, const std::string& port,
           std::int64_t factor);
void enlarge(Accelerator& accelerator, const std::string& memory, std::int64_t factor);
/// Serves a use of a port by a further one that is like it. A memory without that use stays as it is.
void give_own_port(Accelerator& accelerator, const std::string& memory, const std::string& port,
                   const PortAllocation& use);

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

struct Helps {
  int repeatable = 0;       ///< layers that are; without one nothing is found
  std::vector<Help> found;  ///< most first; of equals what changes less, then what is earlier in the file
  /// Unknowns and their reasons, a sentence each without its full stop: of layers that stay as they are,
  /// and of changes that could not be costed.
  std::vector<std::string> not_known;
  std::string among;  ///< which mappings compete where one is searched; "": none is
};

struct HelpOptions {
  std::int64_t factor = 2;               ///< wider, larger
  bool search = false;                   ///< also other unrollings
  double seconds = 1;                    ///< of a search, processor time for each layer
  double least = 0.01;                   ///< of the latency; what saves less is none
  std::function<bool()> cancelled = {};  ///< of a search; may be empty
};

/// Changes that would make these layers faster together. Each change is evaluated again, in every layer, by
/// the layer's own rules and with the mapping that it has, but where `mapping` says otherwise. A layer that
/// is not repeatable stays as it is.
///
/// An accelerator with a part of that name has the change. `layers` are evaluations of single layers.
Helps helps_for(std::span<const Evaluation* const> layers, const HelpOptions& options = {});

}  // namespace zz::core
