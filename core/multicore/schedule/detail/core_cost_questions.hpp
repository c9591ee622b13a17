#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/capacity_check.hpp"
#include "core/multicore/schedule/core_cost_plan.hpp"

namespace zz::core {

/// What is asked about the nodes of one layer after the other, each distinct question once.
class CoreCostQuestions {
 public:
  CoreCostQuestions(std::shared_ptr<const MultiCoreAccelerator> accelerator, const Rules& rules);

  struct Entry {
    int core = 0;
    std::vector<int> streamed;  ///< operands in equation order
    int question = 0;
  };

  /// The candidate cores of a layer, in their order, with the question for each. Why a layer cannot run
  /// goes to `problems`.
  std::vector<Entry> ask(const Layer& piece, const OperandBits& needs, Diagnostics& problems);

  const std::vector<CoreCostQuestion>& all() const { return questions_; }

 private:
  bool usable(const Layer& piece, std::int64_t core, Diagnostics& problems) const;
  bool can_stream(const Layer& piece, int core, const std::vector<int>& too_large, const OperandBits& needs,
                  Diagnostics& problems) const;
  int question(const Layer& piece, int core, const std::vector<int>& too_large);
  Layer prescribed(const Layer& piece, int core) const;
  int shape_number(const Layer& piece, int core);
  int accelerator_number(const Layer& piece, int core, const std::vector<int>& too_large);

  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  Rules rules_;
  std::vector<CoreCostQuestion> questions_;
  std::vector<int> same_dataflow_;  ///< [core] -> first core with its dataflows
  std::vector<int> shape_numbers_;  ///< of the layer at hand, by that core; -1: not known yet
  std::vector<Layer> shapes_;       ///< without names, each once
  std::unordered_multimap<std::size_t, int> shapes_by_size_;      ///< by a hash of the sizes of the loops
  std::vector<std::shared_ptr<const Accelerator>> accelerators_;  ///< each once
  std::map<std::pair<int, std::vector<std::string>>, int> accelerator_numbers_;  ///< by core and operands
  std::map<std::pair<int, int>, int> numbers_;                                   ///< of questions
};

/// "core 2 ('tpu_like')", for messages.
std::string core_name(const MultiCoreAccelerator& accelerator, int core);

}  // namespace zz::core
