#include "host/report/show_formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/cost/rates.hpp"
#include "core/output/mapping_yaml.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"
#include "host/base/standard_output.hpp"
#include "host/report/result_csv.hpp"
#include "host/report/result_rows.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

void fail(const Selection& selection, const std::string& message, const std::string& hint) {
  throw core::InputError({core::Diagnostic{core::Severity::error, {selection.file, 0, 0}, message, hint}});
}

bool SelectedResults::next() {
  const auto& numbers = selection_.numbers;
  while (reader_.next(evaluation_, extra_)) {
    if (numbers.empty() || numbers.count(number()) > 0) return true;
  }
  if (!numbers.empty() && *numbers.rbegin() > number()) {
    fail(selection_, fmt::format("there is no result {}; the archive has {}", *numbers.rbegin(), number()));
  }
  return false;
}

void show_table(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  TextTable table({{"result", true},
                   {"layer"},
                   {"energy [pJ]", true},
                   {"latency [cycles]", true},
                   {"utilisation", true},
                   {"unrolling"}});
  std::uint64_t shown = 0;
  const auto add = [&](const ResultRow& row) {
    table.add_row({fmt::format("{}", results.number()), row.layer, fmt::format("{:.10g}", row.energy),
                   fmt::format("{:.10g}", row.latency),
                   std::isnan(row.utilization) ? "-" : fmt::format("{:.2f} %", 100 * row.utilization),
                   row.unrolling});
  };
  while (results.next()) {
    ++shown;
    const ResultRows result = rows_of(results.evaluation(), results.extra());
    for (const ResultRow& row : result.layers) add(row);
    if (result.total) add(*result.total);
  }
  fmt::print(standard_output(), "{}\n{} of {} results, written by {}\n", table.text(), shown,
             results.number(), results.producer());
}

void show_csv(const Selection& selection) {
  ResultTable table;
  for (SelectedResults results(selection, core::ArchiveReader::As::objects); results.next();)
    table.add(results.number(), rows_of(results.evaluation(), results.extra()));
  table.write([](const std::string& line) { fmt::print(standard_output(), "{}", line); });
}

void show_json(const Selection& selection) {
  // The file is read to its end first, so that nothing is printed of one that was cut off.
  for (SelectedResults all(selection, core::ArchiveReader::As::plain); all.next();) {
  }
  SelectedResults results(selection, core::ArchiveReader::As::plain);
  fmt::print(standard_output(), "{{\"producer\": {}, \"results\": [",
             core::json_string(results.producer()));
  const char* separator = "\n";
  while (results.next()) {
    fmt::print(standard_output(), "{}{{\"number\": {}, \"evaluation\": {}, \"extra\": {}}}", separator,
               results.number(), core::to_json(results.evaluation().ref()),
               core::to_json(results.extra().ref()));
    separator = ",\n";
  }
  fmt::print(standard_output(), "\n]}}\n");
}

namespace {

/// The entries of a mapping file, one for each layer.
class Entries {
 public:
  explicit Entries(const Selection& selection) : selection_(selection) {}

  void add(const core::Evaluation& evaluation, std::uint64_t number) {
    const core::LayerMapping entry = core::replay_entry(evaluation);
    const auto [known, added] = results_.try_emplace(entry.name, number, entries_.size());
    if (added) {
      entries_.push_back(entry);
      return;
    }
    const auto& [first, index] = known->second;
    if (entries_[index] == entry) return;
    if (first == number) {
      fail(selection_, fmt::format("result {} has two layers '{}' that are mapped differently, which a "
                                   "mapping file cannot tell apart",
                                   number, entry.name));
    }
    fail(
        selection_,
        fmt::format("layer '{}' is mapped differently in the results {} and {}", entry.name, first, number),
        fmt::format("name one result for each layer, as in: zz-host show {} {} --format=mapping",
                    selection_.file, first));
  }

  const std::vector<core::LayerMapping>& all() const { return entries_; }

 private:
  const Selection& selection_;
  std::vector<core::LayerMapping> entries_;
  /// By name of the layer: the result that it was first found in, and the index of its entry.
  std::map<std::string, std::pair<std::uint64_t, std::size_t>> results_;
};

}  // namespace

void show_mapping(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  Entries entries(selection);
  std::uint64_t without_mapping = 0;
  std::vector<std::string> fused;
  while (results.next()) {
    for (const ResultRow& row : rows_of(results.evaluation(), results.extra()).layers) {
      const core::Evaluation* const evaluation = row.evaluation();
      if (!evaluation->layer || !evaluation->temporal_mapping) {
        ++without_mapping;
        continue;
      }
      entries.add(*evaluation, results.number());
      if (evaluation->fused) fused.push_back(evaluation->layer->name);
    }
  }
  if (entries.all().empty()) {
    fail(selection, "none of its results has a layer with its mapping",
         "sums have none, nor have evaluations of cost models that do not say what they evaluated");
  }
  if (without_mapping > 0) {
    fmt::print(stderr, "{}: warning: {} evaluations without a layer and its mapping are left out\n",
               selection.file, without_mapping);
  }
  if (!fused.empty()) {
    fmt::print(stderr,
               "{}: warning: by itself each of these layers costs something else than in its fused group, "
               "which fused_groups.yaml keeps: {}\n",
               selection.file, fmt::join(fused, ", "));
  }
  fmt::print(standard_output(), "{}", core::mapping_yaml(entries.all()));
}

}  // namespace zz::host
