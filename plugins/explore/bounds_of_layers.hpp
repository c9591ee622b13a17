#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/answers/layer_answers.hpp"
#include "core/exploration/relaxed_accelerator.hpp"
#include "core/store/result_store.hpp"
#include "plugins/explore/point_figures.hpp"
#include "plugins/explore/relaxed_designs.hpp"

namespace zz::plugins {

inline constexpr double no_value = std::numeric_limits<double>::infinity();    ///< no mapping fits
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();  ///< was not asked for

/// Knowledge of the layers on all designs of a box.
struct BoxLayers {
  /// The figures that layers are searched for.
  enum Figure : std::size_t { energy, latency, figures };

  core::DesignBox designs;
  std::array<core::RelaxedAccelerator, figures> relaxed;  ///< that bounds are found on
  std::array<std::vector<double>, figures> lower;         ///< bounds, by question; infinite: none fits
};

/// Figures that mappings reach on a single design.
struct DesignLayers {
  std::vector<bool> wanted;  ///< by figure
  std::array<std::vector<double>, BoxLayers::figures> upper;
  std::array<std::vector<bool>, BoxLayers::figures> searched;
  std::array<std::string, BoxLayers::figures> text;  ///< of the accelerator, as key() has it
};

/// Bounds of the layers over boxes of designs, and the answers for single ones, up to a tolerance. Answers
/// of other designs are tried first: they say what a design reaches without a search, and searches begin
/// with them. A bound above what a mapping reaches is an error, which is thrown. [any], but for
/// make_known().
class BoundsOfLayers {
 public:
  using Figure = BoxLayers::Figure;
  /// Told after each step; true: no more is needed.
  using Enough = std::function<bool()>;
  /// Bounds without a search: by joint_bound(), or by one_order_bound(), which is of the energy.
  enum class Effort { joint, in_one_order };
  /// A question that was answered on an accelerator.
  struct Found {
    std::size_t question;
    Figure figure;
    std::shared_ptr<const core::Accelerator> accelerator;
    core::StoredAnswer answer;
  };

  /// All references must outlive it.
  BoundsOfLayers(FiguresOfLayers& figures, const RelaxedDesigns& relaxed, double tolerance)
      : figures_(figures), relaxed_(relaxed), tolerance_(tolerance) {}

  /// Over all layers.
  double sum_of(const std::vector<double>& by_question) const;
  /// Figures that known mappings reach on the relaxed accelerator of the box, by question; infinite where
  /// none fits.
  std::vector<double> known(const BoxLayers& box, Figure figure) const;

  /// Raises bounds, those first that count most. True when that was enough.
  bool raise(BoxLayers& box, Figure figure, Effort effort, const Enough& enough) const;
  /// Raises the bounds of the energy by searches on the relaxed accelerator, those first that may rise
  /// most: `known` is what known() is. True when that was enough.
  bool search_energy(BoxLayers& box, const std::vector<double>& known, std::vector<Found>& found,
                     const Enough& enough) const;

  /// Figures that known mappings reach on a single design, and those that were just `found` for it.
  DesignLayers reached(const BoxLayers& box, const std::vector<bool>& wanted,
                       const std::vector<Found>& found) const;
  /// Searches layers of a single design until its figures are known up to the tolerance, each layer up to
  /// `gap`, or to that of all searches, if it is larger. True when it was enough before.
  bool close(BoxLayers& box, DesignLayers& layers, std::vector<Found>& found, const Enough& enough,
             double gap = 0) const;
  /// In the order of SpaceForms::figures.
  std::vector<core::StoredFigure> figures_of(const BoxLayers& box, const DesignLayers& layers) const;
  /// Keeps answers of other designs as those of this one, for the layers that needed no search.
  void keep_known(const BoxLayers& box, const DesignLayers& layers) const;

  /// Tells what was found on designs of the box to all others of its family.
  void make_known(const core::DesignBox& designs, const std::vector<Found>& found) const;

 private:
  const std::shared_ptr<const core::Accelerator>& accelerator_of(const BoxLayers& box, Figure figure,
                                                                 std::size_t question) const {
    return figures_.accelerator_of(question, box.relaxed[figure].accelerator);
  }
  std::string text_of(const BoxLayers& box, Figure figure) const;
  core::LayerAnswers::Known known(const BoxLayers& box, const std::string& family, Figure figure,
                                  std::size_t question) const;
  std::vector<std::size_t> by_weight(const BoxLayers& box, Figure figure) const;
  double bound_of(const BoxLayers& box, Figure figure, Effort effort, const std::string& text,
                  std::size_t question) const;
  bool raise_to(BoxLayers& box, Figure figure, std::size_t question, double bound) const;
  core::StoredAnswer searched(const BoxLayers& box, Figure figure, const std::string& text,
                              std::size_t question, double gap, std::vector<Found>& found) const;
  void must_reach(Figure figure, std::size_t question, double bound, double value) const;
  std::optional<std::pair<Figure, std::size_t>> most_open(const BoxLayers& box,
                                                          const DesignLayers& layers) const;

  FiguresOfLayers& figures_;
  const RelaxedDesigns& relaxed_;
  double tolerance_;
};

}  // namespace zz::plugins
