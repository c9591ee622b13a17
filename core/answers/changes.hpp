#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/answers/optima.hpp"
#include "core/cost/evaluation.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A part of a machine, or of what it works on, that a change is of.
struct MachinePart {
  enum class Kind {
    port,       ///< twice as wide
    own_port,   ///< sums are written through another port than they are read through
    memory,     ///< twice as large, the cost of an access kept
    array,      ///< an array dimension twice as long
    kept,       ///< an operand does not go out to its topmost memory
    precision,  ///< an operand has half as many bits
  };
  Kind kind = Kind::port;
  std::string name;  ///< of a memory, an array dimension, or a memory operand
  /// Port of the memory: the one that is wider, or through which sums are read and written. Of a kept
  /// operand the memory in which it stays.
  std::string port;

  bool operator==(const MachinePart&) const = default;
};

/// "hbm rw_port_1".
std::string name_of(const MachinePart& part);
/// "hbm rw_port_1 2 x as wide", "vmem 2 x as large and D1 2 x as long", "acc: a port of its own for written
/// sums".
std::string words_of(std::span<const MachinePart> parts, std::int64_t factor);

/// The parts of a machine whose change can bear on the objective for a layer, in the order of the file: for
/// the latency ports, memories and array dimensions; for the energy memories, operands and their bits.
/// Ports that could move nothing sooner, as those of a register of one word, are none of them. A port of
/// its own is for sums in the lowest memory that has them.
std::vector<MachinePart> parts_of(const Accelerator& accelerator, const Layer& layer, Objective objective);

/// The machine and the layer with the change. What the mapping file prescribes along an array dimension,
/// and fills it, grows with it. Throws InputError for an operand that cannot be kept.
struct MachineChange {
  std::shared_ptr<const Accelerator> accelerator;
  Layer layer;
};
MachineChange changed(const Accelerator& accelerator, const Layer& layer,
                      std::span<const MachinePart> parts, std::int64_t factor);

struct ChangeOptions {
  Objective objective = Objective::latency;  ///< or the energy
  std::int64_t factor = 2;                   ///< wider, larger, longer
  double least = 0.01;        ///< of the figure; a change that provably saves less is not searched
  double pairs_below = 0.02;  ///< of the figure; where no single change saves that, pairs are tried
  double seconds = 0.25;      ///< processor time of a search for one change and layer
  std::vector<MachinePart> only = {};  ///< these changes and no others; none: all
  /// Calls a function for each number below n, on as many threads as there are; empty: on this one.
  std::function<void(std::uint32_t, const std::function<void(std::uint32_t)>&)> parallel = {};
  std::function<bool()> cancelled = {};
  /// Told of searches: 0 of `all` at the beginning of a round, then each that is done. On any thread.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// A figure of a layer, as often as it is counted: cycles or pJ.
struct MappedFigure {
  double value = 0;
  double bound = 0;  ///< no mapping has less
};

/// A change with what it leaves of the figure.
struct Change {
  std::vector<MachinePart> parts;      ///< one, or two that change together
  std::vector<MappedFigure> by_layer;  ///< as now where it provably saves less than ChangeOptions::least
};

/// Answers to "what if", each with the layer mapped anew.
struct Changes {
  std::vector<MappedFigure> now;  ///< by layer: the best mapping on the machine as it is
  std::vector<Change> changes;    ///< in the order of the file, pairs last
  /// By layer, half a sentence each: the reason that its changes are not known. Such a layer stays as it
  /// is.
  std::vector<std::string> not_known;
  std::vector<std::string> not_costed;  ///< changes that could not be costed, a sentence each
};

/// Asks for each change what the layers cost then. Layers are searched as their own mappings were
/// (Evaluation::question); those that no search for the best has mapped are searched over all unrollings. A
/// search begins with the best mapping of the machine as it is, and ends where the result is proven to be
/// within ChangeOptions::least of the best.
///
/// `layers` are evaluations of single layers, or sums with one that is typical (Evaluation::typical); those
/// of the same work on the same machine are asked once.
Changes changes_of(std::span<const Evaluation* const> layers, Optima& optima, const ChangeOptions& options);

/// A change that is worth it, for some of the layers together.
struct Saving {
  std::vector<MachinePart> parts;
  std::string change;  ///< words_of() it
  double value = 0;    ///< with it: cycles or pJ
  double saved = 0;
  double bound = 0;  ///< no mapping has less with it
};

/// The changes that save at least ChangeOptions::least of the figure, most first; of equals what is earlier
/// in the file. Pairs are among them where no single change saves ChangeOptions::pairs_below, and only
/// those that save more than their better half by ChangeOptions::least. `layers`: by position.
std::vector<Saving> savings_of(const Changes& changes, std::span<const std::size_t> layers,
                               const ChangeOptions& options);

/// Number of changes of one part that are not among these, and of which it is not proven: a limit ended the
/// search.
std::size_t open_changes(const Changes& changes, std::span<const std::size_t> layers,
                         const ChangeOptions& options);

}  // namespace zz::core
