#include <fmt/format.h>
#include <map>

#include "core/output/archive/contained_evaluations.hpp"
#include "core/output/mapping_yaml.hpp"
#include "host/report/show_formats.hpp"

namespace zz::host {
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
  while (results.next()) {
    for (const auto& evaluation : core::contained_evaluations(results.evaluation(), results.extra())) {
      if (evaluation->layer && evaluation->temporal_mapping)
        entries.add(*evaluation, results.number());
      else
        ++without_mapping;
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
  fmt::print("{}", core::mapping_yaml(entries.all()));
}

}  // namespace zz::host
