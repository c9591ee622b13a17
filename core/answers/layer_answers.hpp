#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/answers/answers.hpp"
#include "core/answers/known_mapping.hpp"
#include "core/answers/question.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The best mappings of layers on the accelerators of a design space, each for one objective by itself, and
/// bounds of them. [any]
class LayerAnswers {
 public:
  /// `options` are those of all searches, but for the objective. The answers must outlive this.
  LayerAnswers(JointOptions options, Answers& answers);

  /// Which question a layer asks, by question_text() of both.
  ContentKey key(const std::string& layer, const std::string& accelerator, Objective objective) const;

  /// The least value of the objective up to the gap of the options, or a larger `gap`, and its bound.
  /// `start`: as JointOptions::start. Throws what find_joint_optimum() throws.
  StoredAnswer answer(const ContentKey& key, const Layer& layer,
                      const std::shared_ptr<const Accelerator>& accelerator, Objective objective,
                      std::shared_ptr<const JointOptions::Start> start = nullptr, double gap = 0);
  /// The answer as far as it is known, up to such a gap, without a search.
  std::optional<StoredAnswer> find(const ContentKey& key, double gap = 0);

  /// joint_bound(), worked out once for each question. `layer_text` and `family` as for known();
  /// accelerators of a family share tables (JointBounds).
  double bound(const ContentKey& key, const std::string& layer_text, const std::string& family,
               const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
               Objective objective);

  /// The same of one_order_bound(), which is of the energy.
  double energy_bound_in_one_order(const ContentKey& key, const Layer& layer,
                                   const std::shared_ptr<const Accelerator>& accelerator);

  /// The best of the mappings that were found for the same layer (by its text) and objective on other
  /// accelerators with the same `family`, a text for what they must have in common. Its value is infinite,
  /// and there is no mapping, where none fits.
  struct Known {
    double value = infinite;
    std::shared_ptr<const TriedMapping> mapping = {};
    std::string text = {};  ///< of the mapping, as text_of()
  };
  Known known(const std::string& layer_text, const std::string& family,
              const std::shared_ptr<const Accelerator>& accelerator, Objective objective) const;
  /// Makes the answer to this question known to others of the family.
  void make_known(const std::string& layer_text, const std::string& family, const Layer& layer,
                  const std::shared_ptr<const Accelerator>& accelerator, Objective objective,
                  const StoredAnswer& answer);

  /// The beginning of a search: what is known(), or, where nothing fits, one of these mappings cut to the
  /// sizes of this accelerator; nullptr: there is none.
  std::shared_ptr<const JointOptions::Start> start(const std::string& layer_text, const std::string& family,
                                                   const Layer& layer,
                                                   const std::shared_ptr<const Accelerator>& accelerator,
                                                   Objective objective) const;
  /// Keeps what is known() as the answer to a question that has none, with a bound that was found for it.
  void keep_known(const ContentKey& key, const Known& known, double bound);

  /// Number of searches in this run.
  std::size_t searches() const;
  bool used_store() const { return answers_.used_store(); }
  const JointOptions& options() const { return options_; }

 private:
  using Mappings = std::vector<std::pair<std::string, std::shared_ptr<const TriedMapping>>>;
  Mappings mappings(const std::string& layer_text, const std::string& family, Objective objective) const;
  /// Bounds follow from the question alone, so that they are the same whatever other threads have found.
  using Bounds = std::map<ContentKey, double>;
  double remembered(Bounds& bounds, const ContentKey& key, const std::function<double()>& work_out);
  std::shared_ptr<HomeTimes> home_times_of(const std::string& layer_text, const Layer& layer);
  std::unique_ptr<JointBounds> take_idle(const std::string& name);
  void put_idle(const std::string& name, std::unique_ptr<JointBounds> bounds);

  JointOptions options_;
  std::string limits_;                            ///< text_of() them
  std::map<Objective, std::string> option_text_;  ///< question_text() of the options
  Answers& answers_;
  mutable std::mutex mutex_;
  Bounds joint_bounds_, one_order_bounds_;
  std::map<std::string, Mappings> mappings_;  ///< latest last
  /// Makers of joint bounds, where no thread is at it, by the same names.
  std::map<std::string, std::vector<std::unique_ptr<JointBounds>>> idle_;
  std::size_t idle_bytes_ = 0;
  std::map<std::string, std::shared_ptr<HomeTimes>> home_times_;  ///< by text of the layer
  std::size_t searches_ = 0;
};

}  // namespace zz::core
