#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/answers/answers.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"

namespace zz::core {

/// The best mappings of layers (find_joint_optimum), each searched for once: in this process, and with a
/// store behind the answers in all that use it. [any]
class Optima {
 public:
  /// `carries`: a layer whose accelerator has other costs is searched from an earlier optimum of it
  /// (find_joint_optimum), as suits a session of many runs with small changes. Of several best pairs
  /// another one may be found then.
  Optima(Answers& answers, bool carries) : answers_(answers), carries_(carries) {}

  enum class Source {
    search,
    earlier_optimum,  ///< a search that began with one
    earlier_run,      ///< no search
    this_run,         ///< no search but the one that this run has made
  };
  struct Found {
    std::shared_ptr<const JointOptimum> optimum;
    Source source = Source::search;
  };
  /// The result of find_joint_optimum(), which throws. A search that limits cut off answers the same
  /// question with the same limits; one that was interrupted is not kept. An answer of a store has no
  /// `bounds`; it is used only where its pair costs what it says.
  Found of(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
           const JointOptions& options);

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 28;  ///< of bounds; then it starts afresh
  static constexpr std::size_t most_of_a_layer = 16;               ///< then the oldest is forgotten
  static constexpr std::size_t most_accelerators = 8;              ///< whose texts are kept

  struct Question;
  struct Entry {
    std::shared_ptr<const JointOptimum> optimum;
    std::optional<double> within;
    std::string limits;
    double gap;  ///< at which the search was to end
  };

  Question question(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                    const JointOptions& options);
  std::shared_ptr<const JointOptimum> remembered(const Question& question);
  std::shared_ptr<const JointOptimum> stored(const Question& question);
  void keep(const Question& question, std::shared_ptr<const JointOptimum> optimum);
  void remember(const Question& question, std::shared_ptr<const JointOptimum> optimum);
  Found carried(const Question& question) const;
  std::string text_of_accelerator(const std::shared_ptr<const Accelerator>& accelerator,
                                  Objective objective);

  Answers& answers_;
  bool carries_;
  mutable std::mutex mutex_;
  std::map<ContentKey, Entry> known_;
  /// Latest first, by what a question asks whatever the accelerator and `within`.
  std::map<ContentKey, std::deque<Entry>> of_layer_;
  std::size_t bytes_ = 0;
  struct Text {
    std::shared_ptr<const Accelerator> of;
    Objective objective;
    std::string text;
  };
  std::deque<Text> texts_;  ///< latest first
};

}  // namespace zz::core
