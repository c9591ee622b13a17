#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/multicore/explain/schedule_labels.hpp"
#include "core/multicore/schedule/schedule.hpp"

/// Names of results, layers, cores and sizes in pictures and tables.
namespace zz::plugins {

/// Results that are drawn together, none null.
using ResultList = std::vector<std::shared_ptr<const core::Evaluation>>;

/// "7: layer1/Conv": id and name.
std::string layer_label(const core::Layer& layer);

/// A name for each result, no two alike: the label of its layer, or "sum of 21 layers". Where those are
/// alike, the accelerator's name or a number stands in them: "7, tpu_like #2: layer1/Conv".
std::vector<std::string> result_names(const ResultList& results);

/// The layer operands of all results in the order of their first appearance.
std::vector<std::string> layer_operands(const ResultList& results);

// Cores, links and memories have the names of core/multicore/explain/schedule_labels.hpp.
using core::core_label;
using core::link_labels;
using core::memory_label;

/// The data that a node on a core works on: "O 1.5 KiB, W 3 KiB (streamed), I 2 KiB".
std::string operands_text(const core::Schedule& schedule, const core::ScheduledNode& scheduled);

/// The piece of data that is moved: "W of 3: conv1, node 7".
std::string tensor_text(const core::ComputationNodeGraph& graph, int tensor);

/// A number of bits for people: "6 bit", "32 B", "8 KiB", "1.16 GiB".
std::string size_text(std::int64_t bits);

}  // namespace zz::plugins
