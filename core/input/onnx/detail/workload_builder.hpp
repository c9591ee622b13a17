#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/input/onnx/workload.hpp"

namespace zz::core::onnx_import {

/// Rules by which the nodes of an ONNX file become layers, and the place of problems. Borrows all.
struct OnnxReading {
  const MappingFile& mapping;
  const OnnxSettings& settings;
  const Rules& rules;
  const SourceMark& mark;  ///< the file
  Diagnostics& diagnostics;
  const Files& files;
};

/// A workload while its nodes are added, in an order in which they run. Ids count up from 0.
class WorkloadBuilder {
 public:
  /// The id of the next node.
  std::int64_t next_id() const { return next_id_; }
  /// Leaves it out.
  void skip_id() { ++next_id_; }

  /// The name, with a number behind it when another layer has it: files may give several nodes one name.
  std::string unique_name(std::string name);

  /// Adds a layer with its sources and mapping, and the edges from its sources in `source_order`; the id.
  std::int64_t add_layer(Layer layer);

  /// Adds a pass-through node and the edges from its sources; the id.
  std::int64_t add_node(const std::string& name, const std::string& op_type, ShapeChange change,
                        std::vector<std::int64_t> sources, std::int64_t output_elements);

  void add_uncosted(UncostedNode node) { workload_.uncosted.push_back(std::move(node)); }

  /// Adds edges that are not there yet.
  void add_edges(const std::vector<std::int64_t>& from, std::int64_t to);

  const Workload& so_far() const { return workload_; }
  const Layer& last_layer() const { return *workload_.layers.back(); }
  Workload take() { return std::move(workload_); }

 private:
  Workload workload_;
  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
  std::set<std::string> names_;
  std::int64_t next_id_ = 0;
};

}  // namespace zz::core::onnx_import
