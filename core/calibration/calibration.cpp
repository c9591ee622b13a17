#include "core/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <mutex>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/calibration/detail/pattern_search.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/roofline.hpp"

namespace zz::core {
namespace {

constexpr std::size_t rows_for_a_constant = 10;
/// Most turns of fitting and mapping; two are mostly enough.
constexpr int most_turns = 4;

double error_of(double predicted, double measured) { return 100 * std::abs(predicted / measured - 1); }

double four_digits(double value) { return std::round(value * 1e4) / 1e4; }

double three_figures(double value) {
  if (value < 0.5) return 0;
  const double scale = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::round(value / scale) * scale;
}

/// A constant from its place between 0 and 1. Shares are even there; cycles are even in their number of
/// digits.
double value_at(const FittedKey& key, double place) {
  constexpr double least_share = 0.02, most_cycles = 1e6;
  if (key.is_share()) return four_digits(least_share + place * (1 - least_share));
  return three_figures(std::pow(most_cycles + 1, place) - 1);
}

double place_of(const FittedKey& key, double value) {
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (value_at(key, middle) < value ? low : high) = middle;
  }
  return high;
}

bool are_same(const JointOptimum& a, const JointOptimum& b) {
  const CompactMapping &first = a.certificate.mapping, &second = b.certificate.mapping;
  return a.unrolling == b.unrolling && first.loops == second.loops && first.dimension == second.dimension &&
         first.size == second.size && first.stationary == second.stationary;
}

/// A layer that some rows measure, with the mappings that were found for it.
struct Measured {
  Layer layer;
  SourceMark mark;  ///< of the first row
  Roofline roofline;
  std::vector<JointOptimum> found;
  std::vector<std::string> changes = {};  ///< JointOptimum::warnings
  double latency = 0;                     ///< of the best mapping where it was searched last
  bool proven = false;                    ///< none is faster there
};

class Calibrator {
 public:
  Calibrator(const Accelerator& accelerator, const std::vector<MeasuredLayer>& rows,
             const CalibrationOptions& options)
      : given_(accelerator), rows_(rows), options_(options) {
    for (const FittedKey& key : find_fitted_keys(given_, options.keys))
      constants_.push_back({key, key.value(given_), key.value(given_)});
    const std::size_t most = rows.size() / rows_for_a_constant;
    if (constants_.size() > most)
      throw InputError(fmt::format(
          "{} constants cannot be read off {} rows: there must be {} rows for each, so {} at most; name "
          "those "
          "that are to be fitted with --keys, as --keys {}",
          constants_.size(), rows.size(), rows_for_a_constant, most, constants_.front().key.name));
    const auto fitted = std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.fitted; });
    if (fitted == 0 || fitted == static_cast<std::ptrdiff_t>(rows.size()))
      throw InputError(
          fmt::format("all {} rows are in one half, so that none {}: they name one layer again and again; "
                      "expected rows "
                      "of several layers",
                      rows.size(), fitted == 0 ? "is fitted" : "judges"));
    gather();
  }

  Calibration run() {
    check_units();
    Calibration made;
    search(given_);
    const std::vector<double> before = latencies();
    made.fitted_before = error_of_half(before, true);
    fit(made.fitted_before);
    drop_what_does_not_matter();
    search(accelerator());
    const std::vector<double> after = latencies();
    made.layers = layers_.size();
    tell_changes(made);
    made.unproven_layers = static_cast<std::size_t>(
        std::count_if(layers_.begin(), layers_.end(), [](const Measured& layer) { return !layer.proven; }));
    made.accelerator = accelerator();
    made.constants = constants_;
    made.fitted_after = error_of_half(after, true);
    for (const MeasuredLayer& row : rows_) ++(row.fitted ? made.fitted_rows : made.other_rows);
    tell_errors(before, after, made);
    return made;
  }

 private:
  void gather() {
    for (const MeasuredLayer& row : rows_) {
      std::size_t index = 0;
      while (index < layers_.size() && !same_work(layers_[index].layer, row.layer)) ++index;
      if (index == layers_.size()) layers_.push_back({row.layer, row.mark, {}, {}});
      layer_of_.push_back(index);
    }
  }

  void for_each_layer(const std::function<void(Measured&)>& work) {
    Diagnostics problems;
    std::mutex mutex;
    const auto one = [&](std::size_t index) {
      if (interruption_requested()) return;
      Measured& layer = layers_[index];
      const auto tell = [&](const std::string& message) {
        const std::lock_guard lock(mutex);
        problems.error(layer.mark, "this layer does not map: " + message);
      };
      try {
        work(layer);
      } catch (const InputError& problem) {
        tell(problem.diagnostics().front().message);
      } catch (const NoResult& problem) {
        tell(problem.what());
      } catch (const Interrupted&) {
        return;  // end_if_interrupted() tells it
      }
    };
    if (options_.threads.parallel_for)
      options_.threads.parallel_for(layers_.size(), one);
    else
      for (std::size_t index = 0; index < layers_.size(); ++index) one(index);
    end_if_interrupted();
    if (!problems.has_errors()) return;
    std::vector<Diagnostic> sorted = problems.all();
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.mark.line < b.mark.line; });
    throw InputError(sorted);
  }

  /// A row that is far faster than the peak, or rows that are all far slower, are in another unit.
  void check_units() {
    const auto machine = std::make_shared<const Accelerator>(given_);
    for_each_layer([&](Measured& layer) { layer.roofline = roofline(layer.layer, machine); });
    constexpr double fastest = 0.5, slowest = 100;
    Diagnostics problems, slow;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double least = layers_[layer_of_[i]].roofline.cycles();
      if (rows_[i].cycles > slowest * least)
        slow.error(
            rows_[i].mark,
            fmt::format("measured {:.4g} cycles, and the peak of '{}' allows {:.4g}: as most rows, this "
                        "one is more than {} times as slow",
                        rows_[i].cycles, given_.name, least, slowest),
            "is the unit of the column, or the clock, another one?");
      if (rows_[i].cycles < fastest * least)
        problems.error(
            rows_[i].mark,
            fmt::format("measured {:.4g} cycles, and the peak of '{}' allows no fewer than {:.4g}",
                        rows_[i].cycles, given_.name, least),
            "is the unit of the column, the clock, or the precision another one?");
    }
    problems.throw_if_errors();
    if (2 * slow.all().size() > rows_.size()) slow.throw_if_errors();
  }

  Accelerator accelerator() const {
    Accelerator made = given_;
    for (const FittedConstant& one : constants_)
      if (one.matters) one.key.set(made, one.after);
    return made;
  }

  /// The best mapping of each layer there.
  void search(const Accelerator& accelerator) {
    const auto machine = std::make_shared<const Accelerator>(accelerator);
    JointOptions options;
    options.objective = Objective::latency;
    options.mixed = true;
    options.factors = usual_factors({});
    options.brief = true;
    options.limits.seconds = options_.seconds;
    options.limits.cancelled = interruption_requested;
    for_each_layer([&](Measured& layer) {
      JointOptions own = options;
      if (const JointOptimum* const best = best_of(layer, machine))
        own.start = std::make_shared<const JointOptions::Start>(
            JointOptions::Start{best->unrolling, best->certificate.mapping});
      JointOptimum found = find_joint_optimum(layer.layer, machine, own);
      layer.latency = found.certificate.value;
      layer.proven = !(found.certificate.gap() > 0);
      layer.changes = found.warnings;
      const auto same = [&](const JointOptimum& other) { return are_same(other, found); };
      if (std::none_of(layer.found.begin(), layer.found.end(), same))
        layer.found.push_back(std::move(found));
    });
  }

  void tell_changes(Calibration& made) const {
    const Measured* first = nullptr;
    std::size_t layers = 0;
    for (const Measured& layer : layers_) {
      if (layer.changes.empty()) continue;
      if (layers++ == 0) first = &layer;
    }
    for (std::size_t i = 0; first != nullptr && i < first->changes.size(); ++i) {
      const bool last = i + 1 == first->changes.size();
      made.warnings.push_back(
          {Severity::warning, first->mark, first->changes[i],
           last && layers > 1
               ? fmt::format("the mapping file is fitted to {} of {} layers", layers, layers_.size())
               : ""});
    }
  }

  static double latency_of(const JointOptimum& pair, const std::shared_ptr<const Accelerator>& machine) {
    MappingProblem problem = pair.problem;
    problem.accelerator = machine;
    return model_of(problem).latency(pair.certificate.mapping).total();
  }

  static const JointOptimum* best_of(const Measured& layer,
                                     const std::shared_ptr<const Accelerator>& machine) {
    const JointOptimum* best = nullptr;
    double least = infinite;
    for (const JointOptimum& pair : layer.found) {
      const double latency = latency_of(pair, machine);
      if (!(latency < least)) continue;
      least = latency;
      best = &pair;
    }
    return best;
  }

  /// By row, of the mappings found last.
  std::vector<double> latencies() const {
    std::vector<double> found;
    for (const std::size_t layer : layer_of_) found.push_back(layers_[layer].latency);
    return found;
  }

  double error_of_half(const std::vector<double>& latencies, bool fitted) const {
    double sum = 0, rows = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].fitted != fitted) continue;
      sum += error_of(latencies[i], rows_[i].cycles);
      ++rows;
    }
    return rows > 0 ? sum / rows : 0;
  }

  /// Error of the fitted half with the best of the mappings that are known.
  double error_with(const Accelerator& accelerator) const {
    const auto machine = std::make_shared<const Accelerator>(accelerator);
    std::vector<double> known(layers_.size(), 0), found(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].fitted) continue;
      double& latency = known[layer_of_[i]];
      if (latency == 0) {
        latency = infinite;
        for (const JointOptimum& pair : layers_[layer_of_[i]].found)
          latency = std::min(latency, latency_of(pair, machine));
      }
      found[i] = latency;
    }
    return error_of_half(found, true);
  }

  /// The constants that have the least error under the mappings that are known; `fixed` keeps its value.
  void fit_to_mappings(const FittedConstant* fixed = nullptr) {
    std::vector<FittedConstant*> free;
    for (FittedConstant& one : constants_)
      if (&one != fixed && one.matters) free.push_back(&one);
    if (free.empty()) return;
    const auto set = [&](const std::vector<double>& places) {
      for (std::size_t i = 0; i < free.size(); ++i) free[i]->after = value_at(free[i]->key, places[i]);
    };
    std::vector<std::vector<double>> starts(1);
    for (const FittedConstant* one : free) starts[0].push_back(place_of(one->key, one->after));
    for (const double place : {0.85, 0.6}) starts.emplace_back(free.size(), place);
    set(pattern_search(starts, [&](const std::vector<double>& places) {
      set(places);
      return error_with(accelerator());
    }));
  }

  void fit(double least) {
    std::vector<FittedConstant> best = constants_;
    for (int turn = 0; turn < most_turns; ++turn) {
      const std::vector<FittedConstant> last = constants_;
      fit_to_mappings();
      search(accelerator());
      const double error = error_of_half(latencies(), true);
      if (!(error < least)) break;
      least = error;
      best = constants_;
      constexpr double hardly = 0.002;
      const bool settled =
          std::equal(last.begin(), last.end(), constants_.begin(),
                     [](const FittedConstant& a, const FittedConstant& b) {
                       return std::abs(a.after - b.after) <= hardly * std::max(a.after, b.after);
                     });
      if (settled) break;
    }
    constants_ = best;
  }

  void drop_what_does_not_matter() {
    const double error = error_with(accelerator());
    for (FittedConstant& one : constants_) {
      const std::vector<FittedConstant> with = constants_;
      one.after = one.before;
      fit_to_mappings(&one);
      if (error_with(accelerator()) <= error + Calibration::least_gain)
        one.matters = false;
      else
        constants_ = with;
    }
  }

  void tell_errors(const std::vector<double>& before, const std::vector<double>& after, Calibration& made) {
    const auto of_roofline = [&](const std::vector<double>& shares) {
      std::vector<double> found;
      for (const std::size_t layer : layer_of_)
        found.push_back(std::max(layers_[layer].roofline.operations / shares[0],
                                 layers_[layer].roofline.data / shares[1]));
      return found;
    };
    constexpr double largest = 2;  // a peak may be told too low
    const auto shares_at = [](std::vector<double> places) {
      for (double& place : places) place = std::max(1e-3, largest * place);
      return places;
    };
    const std::vector<double> shares = shares_at(pattern_search(
        {{0.5, 0.5}, {0.4, 0.4}, {0.3, 0.45}, {0.45, 0.3}}, [&](const std::vector<double>& places) {
          return error_of_half(of_roofline(shares_at(places)), true);
        }));
    made.roofline_peak = shares[0];
    made.roofline_bandwidth = shares[1];
    const std::vector<double> plain = of_roofline({1, 1}), calibrated = of_roofline(shares);
    made.errors.emplace_back();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const MeasuredLayer& row = rows_[i];
      auto own = std::find_if(made.errors.begin() + 1, made.errors.end(),
                              [&](const CalibrationErrors& one) { return one.kind == row.kind; });
      if (own == made.errors.end()) {
        made.errors.push_back({.kind = row.kind});
        own = made.errors.end() - 1;
      }
      if (row.fitted) continue;
      for (CalibrationErrors* one : {&made.errors.front(), &*own}) {
        ++one->rows;
        one->before += error_of(before[i], row.cycles);
        one->after += error_of(after[i], row.cycles);
        one->roofline += error_of(plain[i], row.cycles);
        one->calibrated_roofline += error_of(calibrated[i], row.cycles);
      }
    }
    for (CalibrationErrors& one : made.errors)
      for (double* sum : {&one.before, &one.after, &one.roofline, &one.calibrated_roofline})
        if (one.rows > 0) *sum /= static_cast<double>(one.rows);
  }

  const Accelerator& given_;
  const std::vector<MeasuredLayer>& rows_;
  const CalibrationOptions& options_;
  std::vector<FittedConstant> constants_;
  std::vector<Measured> layers_;
  std::vector<std::size_t> layer_of_;  ///< by row
};

}  // namespace

Calibration calibrate(const Accelerator& accelerator, const std::vector<MeasuredLayer>& rows,
                      const CalibrationOptions& options) {
  return Calibrator(accelerator, rows, options).run();
}

}  // namespace zz::core
