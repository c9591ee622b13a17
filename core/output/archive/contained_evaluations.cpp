#include "core/output/archive/contained_evaluations.hpp"

#include "core/schema/types.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

bool is_list(const Value& value) { return kind_of(value.ref()) == Kind::list; }

Value item(const Value& list, std::uint32_t index) { return held_part(list, part_at(list.ref(), index)); }

/// [evaluation, extra], or [list of such, extra].
bool is_pair(const Value& value) {
  if (!is_list(value) || count_of(value.ref()) != 2) return false;
  const Value first = item(value, 0);
  return first.as<Evaluation>() != nullptr || is_list(first);
}

using Found = std::vector<std::shared_ptr<const Evaluation>>;

void collect(const Value& evaluation, const Value& extra, Found& found);

void collect_pairs(const Value& list, Found& found) {
  if (!is_list(list)) return;
  for (std::uint32_t i = 0; i < count_of(list.ref()); ++i) {
    const Value pair = item(list, i);
    if (is_pair(pair)) collect(item(pair, 0), item(pair, 1), found);
  }
}

void collect(const Value& evaluation, const Value& extra, Found& found) {
  const auto figures = evaluation.as<Evaluation>();
  if (figures && !figures->is_sum()) {
    found.push_back(figures);
    return;
  }
  const std::size_t before = found.size();
  collect_pairs(figures ? extra : evaluation, found);
  if (figures && found.size() == before) found.push_back(figures);
}

}  // namespace

bool evaluations_of_pairs(const Value& extra, std::vector<Value>& evaluations) {
  if (!is_list(extra)) return false;
  for (std::uint32_t i = 0; i < count_of(extra.ref()); ++i) {
    const Value pair = item(extra, i);
    if (!is_pair(pair)) return false;
    evaluations.push_back(item(pair, 0));
  }
  return true;
}

std::vector<std::shared_ptr<const Evaluation>> contained_evaluations(const Value& evaluation,
                                                                     const Value& extra) {
  Found found;
  collect(evaluation, extra, found);
  return found;
}

}  // namespace zz::core
