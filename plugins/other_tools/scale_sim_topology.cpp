#include "plugins/other_tools/scale_sim_topology.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/input/onnx/mapping_use.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/workload/layer_check.hpp"
#include "plugins/other_tools/einsum_layer.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

/// A row of the file.
struct TopologyRow {
  std::string name;
  core::SourceMark mark;
  std::int64_t height = 1, width = 1, filter_height = 1, filter_width = 1;
  std::int64_t channels = 1, filters = 1, stride_height = 1, stride_width = 1;
  std::int64_t groups = 1;  ///< channels that are convolved each by itself
  bool product = false;     ///< given as M, N, K

  std::int64_t rows_out() const { return windows(height, filter_height, stride_height); }
  std::int64_t columns_out() const { return windows(width, filter_width, stride_width); }
  std::int64_t window() const { return filter_height * filter_width * channels; }

 private:
  /// The simulator counts a last window that lies partly beyond the input.
  static std::int64_t windows(std::int64_t size, std::int64_t filter, std::int64_t stride) {
    return (size - filter + stride - 1) / stride + 1;
  }
};

constexpr std::int64_t most_of_a_field = std::int64_t{1} << 31;

class TopologyReader {
 public:
  TopologyReader(const std::string& path, ScaleSimInput input, const core::Files& files)
      : path_(path), input_(input) {
    const std::vector<TextLine> lines =
        lines_of(files.read(path, most_text_bytes, "a SCALE-Sim topology"), path);
    for (const TextLine& line : lines) {
      std::vector<TextField> fields = fields_between_commas(line);
      // A spreadsheet writes as many commas as its longest row has.
      while (!fields.empty() && fields.back().text.empty()) fields.pop_back();
      const bool is_first = &line == lines.data();
      if (is_first && is_layer(fields)) unread_layer_ = fields[0];
      const bool is_header = is_first || (header_.empty() && !is_layer(fields));
      if (fields.empty()) continue;
      if (fields.size() == 1) {
        if (!is_first) titles_.push_back(fields[0]);
      } else if (is_header) {
        read_header(fields);
      } else if (input_ == ScaleSimInput::products) {
        read_product(fields);
      } else {
        read_convolution(fields);
      }
    }
    if (rows_.empty() && !problems_.has_errors())
      problems_.error(core::SourceMark{path}, "there is no layer",
                      "a header and one line for each layer, with commas between the fields, are expected");
    problems_.throw_if_errors();
  }

  const std::vector<TopologyRow>& rows() const { return rows_; }

  void tell_what_is_passed_over(core::Diagnostics& diagnostics) const {
    if (unread_layer_)
      diagnostics.warning(unread_layer_->mark,
                          fmt::format("'{}' is not read: the first line is the header, as in SCALE-Sim",
                                      core::shown_text(unread_layer_->text)),
                          "put a line with names of the columns before it");
    if (titles_.empty()) return;
    std::vector<std::string> names;
    for (const TextField& title : titles_)
      names.push_back(fmt::format("'{}'", core::shown_text(title.text)));
    diagnostics.warning(
        titles_[0].mark,
        fmt::format("rows with nothing but a title are passed over: {}",
                    fmt::join(names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), 5),
                              ", ")) +
            (names.size() > 5 ? fmt::format(" and {} more", names.size() - 5) : ""));
  }

 private:
  /// True if all fields behind the name are numbers.
  static bool is_layer(const std::vector<TextField>& fields) {
    return fields.size() > 3 && std::all_of(fields.begin() + 1, fields.end(), [](const TextField& field) {
             return core::number_of(field.text).has_value();
           });
  }

  void read_header(const std::vector<TextField>& fields) {
    for (const TextField& field : fields) header_.push_back(core::lower_case(field.text));
    if (input_ != ScaleSimInput::by_header) return;
    const bool of_products =
        header_.size() > 3 && header_[1] == "m" && header_[2] == "n" && header_[3] == "k";
    input_ = of_products ? ScaleSimInput::products : ScaleSimInput::convolutions;
  }

  /// The numbers behind the name; nothing when one of them is none.
  std::optional<std::vector<std::int64_t>> numbers(const std::vector<TextField>& fields,
                                                   const std::vector<const char*>& names) {
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const auto number = read_count(
              fields[i + 1], fmt::format("'{}' of '{}'", names[i], core::shown_text(fields[0].text)),
              most_of_a_field, problems_))
        made.push_back(*number);
    if (made.size() < names.size()) return std::nullopt;
    return made;
  }

  bool has_fields(const std::vector<TextField>& fields, std::size_t least, std::size_t most,
                  const char* expected) {
    if (fields[0].text.empty())
      problems_.error(fields[0].mark, "the layer has no name");
    else if (fields.size() < least || fields.size() > most)
      problems_.error(fields[0].mark,
                      fmt::format("'{}' has {} fields", core::shown_text(fields[0].text), fields.size()),
                      expected);
    else
      return true;
    return false;
  }

  void read_product(const std::vector<TextField>& fields) {
    if (!has_fields(fields, 4, 5, "name, M, N, K and at most a sparsity ratio are expected")) return;
    if (fields.size() > 4) check_dense(fields[4]);
    const auto sizes = numbers(fields, {"M", "N", "K"});
    if (!sizes) return;
    TopologyRow row;
    row.name = fields[0].text;
    row.mark = fields[0].mark;
    row.product = true;
    row.height = (*sizes)[0];
    row.filters = (*sizes)[1];
    row.channels = (*sizes)[2];
    rows_.push_back(std::move(row));
  }

  void read_convolution(const std::vector<TextField>& fields) {
    if (!has_fields(
            fields, 8, 10,
            "name, height and width of the input, height and width of the filter, channels, filters and "
            "strides are expected; or the header must be 'Layer, M, N, K'"))
      return;
    const auto sizes = numbers(fields, {"input height", "input width", "filter height", "filter width",
                                        "channels", "filters", "stride"});
    if (!sizes) return;
    TopologyRow row;
    row.name = fields[0].text;
    row.mark = fields[0].mark;
    row.height = (*sizes)[0];
    row.width = (*sizes)[1];
    row.filter_height = (*sizes)[2];
    row.filter_width = (*sizes)[3];
    row.channels = (*sizes)[4];
    row.filters = (*sizes)[5];
    row.stride_height = row.stride_width = (*sizes)[6];
    for (std::size_t i = 8; i < fields.size(); ++i) read_more(fields, i, row);
    for (const auto& [side, filter, input, at] : {std::tuple{"height", row.filter_height, row.height, 3},
                                                  {"width", row.filter_width, row.width, 4}})
      if (filter > input)
        problems_.error(fields[static_cast<std::size_t>(at)].mark,
                        fmt::format("the filter of '{}' is larger than its input: {} is {} and {}",
                                    core::shown_text(row.name), side, filter, input),
                        "the input with its padding is expected");
    // So the simulator knows depthwise convolutions.
    if (row.name.find("DP") != std::string::npos) row.groups = std::exchange(row.channels, 1);
    rows_.push_back(std::move(row));
  }

  /// A field behind the stride, which the header names: the other stride, a batch, a ratio of sparsity.
  void read_more(const std::vector<TextField>& fields, std::size_t i, TopologyRow& row) {
    const std::string name = i < header_.size() ? header_[i] : "";
    const std::string what = fmt::format("'{}' of '{}'", name, core::shown_text(row.name));
    if (fields[i].text.find(':') != std::string::npos) {
      check_dense(fields[i]);
    } else if (name.find("batch") != std::string::npos) {
      const auto batch = read_count(fields[i], what, most_of_a_field, problems_);
      if (batch.value_or(1) != 1)
        problems_.error(fields[i].mark,
                        fmt::format("{} is {}; SCALE-Sim passes batches over", what, *batch),
                        "1 is expected; more rows of input do the work of a batch");
    } else if (i == 8) {
      row.stride_width =
          read_count(fields[i], fmt::format("'stride width' of '{}'", core::shown_text(row.name)),
                     most_of_a_field, problems_)
              .value_or(1);
    } else {
      problems_.error(fields[i].mark,
                      fmt::format("'{}' is one field too many", core::shown_text(fields[i].text)));
    }
  }

  void check_dense(const TextField& field) {
    const std::size_t colon = field.text.find(':');
    if (colon != std::string::npos && field.text.substr(0, colon) == field.text.substr(colon + 1)) return;
    problems_.error(
        field.mark,
        fmt::format("the sparsity ratio is '{}', and zz knows dense layers", core::shown_text(field.text)),
        "1:1 is expected");
  }

  std::string path_;
  ScaleSimInput input_;
  std::vector<std::string> header_;
  std::vector<TopologyRow> rows_;
  std::vector<TextField> titles_;
  std::optional<TextField> unread_layer_;  // in the place of the header
  core::Diagnostics problems_;
};

EinsumTensor tensor(const char* name, const std::vector<std::vector<IndexTerm>>& axes, bool constant) {
  EinsumTensor made;
  made.name = name;
  made.axes = axes;
  made.bits = scale_sim_word_bits;
  made.constant = constant;
  return made;
}

std::vector<IndexTerm> loop(const char* name) { return {{1, name}}; }

Einsum product_of(const TopologyRow& row) {
  Einsum made;
  made.type = "Gemm";
  made.loops = {{"B", row.rows_out() * row.columns_out()}, {"K", row.filters}, {"C", row.window()}};
  made.output = tensor("output", {loop("B"), loop("K")}, false);
  made.input = tensor("input", {loop("B"), loop("C")}, false);
  made.weight = tensor("filter", {loop("C"), loop("K")}, true);
  if (row.groups > 1) {
    made.loops.push_back({"G", row.groups});
    for (EinsumTensor* one : {&made.output, &made.input, &made.weight})
      one->axes.insert(one->axes.begin(), loop("G"));
  }
  return made;
}

Einsum convolution_of(const TopologyRow& row) {
  if (row.product) return product_of(row);
  Einsum made;
  made.type = "Conv";
  made.loops = {{"B", 1},
                {"K", row.filters},
                {"C", row.channels},
                {"OY", row.rows_out()},
                {"OX", row.columns_out()},
                {"FY", row.filter_height},
                {"FX", row.filter_width}};
  made.output = tensor("output", {loop("B"), loop("K"), loop("OY"), loop("OX")}, false);
  made.input = tensor(
      "input",
      {loop("B"), loop("C"), {{row.stride_height, "OY"}, {1, "FY"}}, {{row.stride_width, "OX"}, {1, "FX"}}},
      false);
  made.weight = tensor("filter", {loop("K"), loop("C"), loop("FY"), loop("FX")}, true);
  if (row.groups > 1) {
    made.loops.insert(made.loops.begin() + 1, {"G", row.groups});
    for (EinsumTensor* one : {&made.output, &made.input})
      one->axes.insert(one->axes.begin() + 1, loop("G"));
    made.weight.axes.insert(made.weight.axes.begin(), loop("G"));
  }
  return made;
}

/// Loops along D1 and D2, and within a fold.
std::array<const char*, 3> loops_of(SystolicDataflow dataflow) {
  switch (dataflow) {
    case SystolicDataflow::weight_stationary:
      return {"C", "K", "B"};
    case SystolicDataflow::input_stationary:
      return {"C", "B", "K"};
    case SystolicDataflow::output_stationary:
      break;
  }
  return {"B", "K", "C"};
}

/// The mapping that the simulator's array has: whole folds one after the other, the last of them not full.
void prescribe(core::Layer& layer, const ScaleSimConfig& config) {
  const auto [rows, columns, time] = loops_of(config.dataflow);
  const std::array<std::pair<const char*, std::int64_t>, 2> sides = {
      {{rows, config.rows}, {columns, config.columns}}};
  layer.mapping.temporal_ordering = {{time, layer.loop_size(time)}};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto& [dimension, units] = sides[i];
    const std::int64_t size = layer.loop_size(dimension), used = std::min(units, size);
    layer.mapping.spatial_mapping.dimensions.push_back({i == 0 ? "D1" : "D2", {{dimension, used}}});
    layer.mapping.temporal_ordering.push_back({dimension, (size + used - 1) / used});
  }
  if (layer.loop_index("G") >= 0) layer.mapping.temporal_ordering.push_back({"G", layer.loop_size("G")});
}

template <class Prescribe>
core::Workload workload_of(const std::string& path, const std::vector<TopologyRow>& rows,
                           Einsum (*einsum_of)(const TopologyRow&), core::Diagnostics& problems,
                           const Prescribe& prescribe_for) {
  core::Workload made;
  made.name = std::filesystem::path(path).stem().string();
  for (const TopologyRow& row : rows) {
    Einsum einsum = einsum_of(row);
    einsum.id = static_cast<std::int64_t>(made.layers.size());
    einsum.name = row.name;
    einsum.mark = row.mark;
    auto layer = std::make_shared<core::Layer>(layer_of(einsum, problems));
    if (!problems.has_errors()) prescribe_for(*layer, row.mark);
    made.node_order.push_back(layer->id);
    made.layers.push_back(std::move(layer));
  }
  problems.throw_if_errors();
  return made;
}

}  // namespace

core::Workload read_scale_sim_topology(const std::string& path, ScaleSimInput input,
                                       const ScaleSimConfig& config, core::Diagnostics& diagnostics,
                                       const core::Files& files) {
  const TopologyReader reader(path, input, files);
  reader.tell_what_is_passed_over(diagnostics);
  core::Diagnostics problems;
  return workload_of(path, reader.rows(), &product_of, problems,
                     [&](core::Layer& layer, const core::SourceMark&) { prescribe(layer, config); });
}

core::Workload read_scale_sim_topology(const std::string& path, ScaleSimInput input,
                                       const core::MappingFile& mapping, const core::Rules& rules,
                                       core::Diagnostics& diagnostics, const core::Files& files) {
  const TopologyReader reader(path, input, files);
  reader.tell_what_is_passed_over(diagnostics);
  const core::MappingSelection entries(mapping);
  core::Diagnostics problems;
  core::Workload made = workload_of(path, reader.rows(), &convolution_of, problems,
                                    [&](core::Layer& layer, const core::SourceMark& mark) {
                                      core::select_mapping(layer, entries, rules, mark, problems);
                                    });
  core::warn_of_unused_mapping(mapping, {}, made, problems);
  for (const core::Diagnostic& problem : problems.all()) diagnostics.add(problem);
  return made;
}

}  // namespace zz::plugins
