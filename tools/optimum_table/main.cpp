#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/number_text.hpp"
#include "core/compat/rules.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/search/optimal/certificate.hpp"

#include "tools/optimum_table/compared_layer.hpp"
#include "tools/optimum_table/joint_layer.hpp"

// usage: zz-optimum-table [--layers | --joint | --within] [--seconds S] [--zigzag] WORKLOAD ACCELERATOR
// MAPPING
//
// Compares ZigZag's default search (loop orders of at most six factors, the best three spatial mappings)
// with the proven optimum over the same spatial mappings, as rows of a Markdown table: one for each
// objective, or, with --layers, one for each layer that differs from those before. S: processor time for
// each search. --zigzag: with ZigZag's own figures (compat). Layers whose gap is 1 % or more, and those
// that cannot be mapped, are named on stderr.
//
// With --joint: the optimum over all pairs of spatial and temporal mappings, compared with the best
// temporal mappings under the mapping file's unrolling and under the best three that are generated.
//
// With --within: the least latency over all pairs, proven up to the gap G (0.01), and the least energy
// within 0.1 % of it.

namespace {

using namespace zz;
constexpr const char* objective_names[] = {"energy", "latency", "EDP"};

core::Workload read(const std::string& file, const core::MappingFile& mapping, const core::Rules& rules) {
  core::Diagnostics diagnostics;
  const core::OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};
  return file.ends_with(".onnx") ? core::read_onnx(file, mapping, rules, diagnostics, bytes)
                                 : core::read_workload(file, mapping, rules, diagnostics);
}

std::string stem(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.substr(0, name.find_last_of('.'));
}

/// By how much the limited search is worse; it may find nothing that fits.
std::string loss(double limited, double best) {
  return std::isinf(limited) ? "none fits" : fmt::format("{:.2f}", 100 * (limited / best - 1));
}

std::string row_of(const std::string& name, const tools::ComparedLayer& layer) {
  std::string row = fmt::format("| {} | {} | {} |", name, layer.loops, layer.multisets);
  for (const tools::Comparison& entry : layer.by_objective) {
    row += fmt::format(" {} | {:.3g} | {} | {:.1f} |", loss(entry.limited, entry.best),
                       100 * std::max(0.0, entry.best / entry.bound - 1), entry.states, entry.milliseconds);
  }
  return row;
}

struct Summary {
  double limited = 0, best = 0, largest_gap = 0;
  int proven = 0;
  std::vector<double> milliseconds;
};

int run(const std::vector<std::string>& files, bool by_layer, double seconds, const core::Rules& rules) {
  core::Diagnostics diagnostics;
  const auto accelerator =
      std::make_shared<const core::Accelerator>(core::read_accelerator(files[1], diagnostics));
  const core::Workload workload = read(files[0], core::read_mapping(files[2], diagnostics), rules);
  std::vector<std::pair<std::shared_ptr<const core::Layer>, tools::ComparedLayer>> known;
  std::array<Summary, 3> summaries;
  for (const auto& layer : workload.layers_in_order()) {
    auto same = std::find_if(known.begin(), known.end(),
                             [&](const auto& entry) { return tools::same_search(*entry.first, *layer); });
    if (same == known.end()) {
      known.emplace_back(layer, tools::compare(*layer, accelerator, seconds, rules));
      same = known.end() - 1;
      if (by_layer) fmt::print("{}\n", row_of(layer->name, same->second));
      for (int i = 0; i < 3; ++i) {
        const tools::Comparison& entry = same->second.by_objective[i];
        if (std::isinf(entry.best)) {
          if (i == 0) fmt::print(stderr, "{}: layer '{}' does not fit\n", accelerator->name, layer->name);
          continue;
        }
        const double gap = std::max(0.0, entry.best / entry.bound - 1);
        if (gap >= 0.01) {
          fmt::print(stderr, "{}: {} of layer '{}' may be {:.2f} % too high\n", accelerator->name,
                     objective_names[i], layer->name, 100 * gap);
        }
        summaries[i].largest_gap = std::max(summaries[i].largest_gap, gap);
        if (gap == 0) ++summaries[i].proven;
        summaries[i].milliseconds.push_back(entry.milliseconds);
      }
    }
    for (int i = 0; i < 3; ++i) {
      summaries[i].limited += same->second.by_objective[i].limited;
      summaries[i].best += same->second.by_objective[i].best;
    }
  }
  if (by_layer) return 0;
  for (int i = 0; i < 3; ++i) {
    std::vector<double>& times = summaries[i].milliseconds;
    if (times.empty()) continue;
    std::sort(times.begin(), times.end());
    fmt::print("| {} | {} | {} | {} | {} of {} | {:.3g} | {:.1f} | {:.0f} |\n", stem(files[0]),
               accelerator->name, objective_names[i], loss(summaries[i].limited, summaries[i].best),
               summaries[i].proven, times.size(), 100 * summaries[i].largest_gap, times[times.size() / 2],
               times.back());
  }
  return 0;
}

struct JointSummary {
  double prescribed = 0, three = 0, best = 0, largest_gap = 0;
  int proven = 0;
  std::uint64_t spatial_mappings = 0, searched = 0;
  std::vector<double> milliseconds;
};

int run_jointly(const std::vector<std::string>& files, double seconds, const core::Rules& rules) {
  core::Diagnostics diagnostics;
  const auto accelerator =
      std::make_shared<const core::Accelerator>(core::read_accelerator(files[1], diagnostics));
  const core::Workload workload = read(files[0], core::read_mapping(files[2], diagnostics), rules);
  using Compared = std::array<tools::JointComparison, 3>;
  std::vector<std::pair<std::shared_ptr<const core::Layer>, Compared>> known;
  std::array<JointSummary, 3> summaries;
  for (const auto& layer : workload.layers_in_order()) {
    auto same = std::find_if(known.begin(), known.end(),
                             [&](const auto& entry) { return tools::same_search(*entry.first, *layer); });
    const bool differs = same == known.end();
    if (differs) {
      known.emplace_back(layer, tools::compare_jointly(*layer, accelerator, seconds, rules));
      same = known.end() - 1;
    }
    for (int i = 0; i < 3; ++i) {
      const tools::JointComparison& entry = same->second[i];
      JointSummary& summary = summaries[i];
      summary.prescribed += entry.prescribed;
      summary.three += entry.three;
      summary.best += entry.best;
      if (!differs) continue;
      const double gap = std::max(0.0, entry.best / entry.bound - 1);
      summary.largest_gap = std::max(summary.largest_gap, gap);
      if (gap == 0) ++summary.proven;
      summary.spatial_mappings += entry.spatial_mappings;
      summary.searched += entry.searched;
      summary.milliseconds.push_back(entry.milliseconds);
    }
  }
  for (int i = 0; i < 3; ++i) {
    JointSummary& summary = summaries[i];
    std::vector<double>& times = summary.milliseconds;
    std::sort(times.begin(), times.end());
    fmt::print("| {} | {} | {} | {} | {} | {} of {} | {:.3g} | {} | {} | {:.0f} | {:.0f} |\n",
               stem(files[0]), accelerator->name, objective_names[i],
               loss(summary.prescribed, summary.best), loss(summary.three, summary.best), summary.proven,
               times.size(), 100 * summary.largest_gap, summary.spatial_mappings / times.size(),
               summary.searched / times.size(), times[times.size() / 2], times.back());
  }
  return 0;
}

int run_within(const std::vector<std::string>& files, double seconds, double gap,
               const core::Rules& rules) {
  constexpr double within = 0.001;
  core::Diagnostics diagnostics;
  const auto accelerator =
      std::make_shared<const core::Accelerator>(core::read_accelerator(files[1], diagnostics));
  const core::Workload workload = read(files[0], core::read_mapping(files[2], diagnostics), rules);
  std::vector<std::pair<std::shared_ptr<const core::Layer>, tools::WithinComparison>> known;
  tools::WithinComparison sum;
  int proven = 0, both_proven = 0;
  double largest_gap = 0;
  for (const auto& layer : workload.layers_in_order()) {
    auto same = std::find_if(known.begin(), known.end(),
                             [&](const auto& entry) { return tools::same_search(*entry.first, *layer); });
    if (same == known.end()) {
      known.emplace_back(layer, tools::compare_within(*layer, accelerator, within, gap, seconds, rules));
      same = known.end() - 1;
      const tools::WithinComparison& entry = same->second;
      const double entry_gap = std::max(0.0, entry.least / entry.bound - 1);
      const double energy_gap = std::max(0.0, entry.energy / entry.energy_bound - 1);
      const bool is_proven = entry_gap <= gap + core::rounding_tolerance;
      largest_gap = std::max(largest_gap, entry_gap);
      proven += is_proven ? 1 : 0;
      both_proven += is_proven && energy_gap <= gap + core::rounding_tolerance ? 1 : 0;
      sum.seconds += entry.seconds;
      sum.seconds_within += entry.seconds_within;
    }
    sum.least += same->second.least;
    sum.latency += same->second.latency;
    sum.energy_alone += same->second.energy_alone;
    sum.energy += same->second.energy;
  }
  fmt::print("| {} | {} | {} of {} | {:.3g} | {:.1f} | {} of {} | {:.1f} | {:+.3f} | {:+.1f} |\n",
             stem(files[0]), accelerator->name, proven, known.size(), 100 * largest_gap, sum.seconds,
             both_proven, known.size(), sum.seconds_within, 100 * (sum.latency / sum.least - 1),
             100 * (sum.energy / sum.energy_alone - 1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool by_layer = false;
  bool jointly = false;
  bool within = false;
  core::Rules rules;
  double seconds = 1;
  double gap = 0.01;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--layers")
      by_layer = true;
    else if (argument == "--joint")
      jointly = true;
    else if (argument == "--within")
      within = true;
    else if (argument == "--zigzag")
      rules = core::rules_of("zigzag-3.8.5");
    else if (argument == "--seconds" && i + 1 < argc)
      seconds = core::number_of(argv[++i]).value_or(0);
    else if (argument == "--gap" && i + 1 < argc)
      gap = core::number_of(argv[++i]).value_or(0);
    else
      files.push_back(argument);
  }
  if (files.size() != 3) {
    fmt::print(stderr,
               "usage: zz-optimum-table [--layers | --joint | --within] [--seconds S] [--gap G] [--zigzag] "
               "WORKLOAD "
               "ACCELERATOR MAPPING\n");
    return 2;
  }
  try {
    if (within) return run_within(files, seconds, gap, rules);
    return jointly ? run_jointly(files, seconds, rules) : run(files, by_layer, seconds, rules);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
