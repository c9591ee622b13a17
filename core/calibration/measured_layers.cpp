#include "core/calibration/measured_layers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <sstream>

#include "core/base/nearest_name.hpp"
#include "core/base/number_text.hpp"
#include "core/base/sha256.hpp"
#include "core/hardware/layer_numbers.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"

namespace zz::core {
namespace {

/// docs/limits.md names it.
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 26;

/// Fewer halves of rows say nothing of each other.
constexpr std::size_t fewest_rows = 20;
constexpr const char* time_column = "measured_";

/// Nanoseconds of each unit of time; cycles have none.
struct TimeUnit {
  const char* name;
  double ns;
};
constexpr TimeUnit time_units[] = {{"cycles", 0}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/// The names of loops that sizes may be given of, and of strides.
constexpr const char* loops_of_convolutions[] = {"B", "G", "K", "C", "OY", "OX", "FY", "FX"};
constexpr const char* strides[] = {"SY", "SX"};

/// The cells of a line; a cell in quotes may have commas and, doubled, quotes. Nothing: quotes do not end.
std::optional<std::vector<std::string>> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += letter;
  }
  if (quoted) return std::nullopt;
  for (std::string& cell : cells) {
    const auto blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; };
    cell.erase(std::find_if_not(cell.rbegin(), cell.rend(), blank).base(), cell.end());
    cell.erase(cell.begin(), std::find_if_not(cell.begin(), cell.end(), blank));
  }
  return cells;
}

class Reader {
 public:
  Reader(const std::string& path, const Accelerator& accelerator, const MeasuredInputs& inputs,
         Diagnostics& told)
      : path_(path), accelerator_(accelerator), inputs_(inputs), told_(told) {
    if (inputs.mapping != nullptr) entries_.emplace(*inputs.mapping);
  }

  std::vector<MeasuredLayer> read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
      if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with("#")) continue;
      const auto cells = cells_of(line);
      mark_ = {path_, number, 0};
      if (!cells)
        problems_.error(mark_, "a quote does not end on its line");
      else if (names_.empty())
        read_names(*cells);
      else
        read_row(*cells);
      if (problems_.has_errors() && layers_.empty() && number == first_) break;
    }
    if (names_.empty()) problems_.error({path_, 0, 0}, "no rows: a line of column names must come first");
    if (!names_.empty() && layers_.size() == rows_.size()) make_layers();
    problems_.throw_if_errors();
    for (const Diagnostic& doubt : problems_.all()) told_.add(doubt);
    for (const std::string& told : without_scales_.sentences()) told_.warning({path_, 0, 0}, told);
    if (layers_.size() < fewest_rows)
      throw InputError(std::vector<Diagnostic>{
          {Severity::error,
           {path_, 0, 0},
           fmt::format("{} rows are too few to fit constants on one half and judge them by the other",
                       layers_.size()),
           fmt::format("measure {} layers or more", fewest_rows)}});
    return std::move(layers_);
  }

 private:
  using Row = std::map<std::string, std::string>;

  void read_names(const std::vector<std::string>& cells) {
    first_ = mark_.line;
    names_ = cells;
    std::vector<std::string> known = {"layer", "kind", "tokens"};
    for (const char* name : loops_of_convolutions) known.emplace_back(name);
    for (const char* name : strides) known.emplace_back(name);
    for (const TimeUnit& unit : time_units) known.push_back(std::string(time_column) + unit.name);
    std::vector<std::string> passed_over;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string& name = names_[i];
      if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), name) !=
          names_.begin() + static_cast<std::ptrdiff_t>(i))
        problems_.error(mark_, fmt::format("two columns are called '{}'", name));
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (name.starts_with("measured"))
        problems_.error(mark_, fmt::format("'{}' is in a unit that is not known", name),
                        "expected measured_cycles, measured_ns, measured_us, measured_ms or measured_s");
      else
        passed_over.push_back(name);
    }
    times_ = std::count_if(names_.begin(), names_.end(),
                           [](const std::string& name) { return name.starts_with(time_column); });
    if (times_ == 0)
      problems_.error(mark_, "no column says what was measured",
                      "expected measured_cycles, measured_ns, measured_us, measured_ms or measured_s");
    const auto has = [&](const char* name) {
      return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    if (inputs_.network != nullptr && !has("layer"))
      problems_.error(mark_, "rows of layers of a workload need a column 'layer' with their names");
    if (inputs_.network == nullptr && !has("K"))
      problems_.error(
          mark_, "no column K: nothing says how large layers are",
          "expected tokens, C and K of products, or B, K, C, OY, OX, FY, FX of convolutions; or "
          "a column 'layer' and --workload FILE");
    if (!passed_over.empty())
      told_.warning(mark_,
                    fmt::format("passed over: the column{} {}", passed_over.size() == 1 ? "" : "s",
                                fmt::join(passed_over, ", ")),
                    passed_over.size() == 1 ? suggestion(passed_over.front(), known) : "");
  }

  void read_row(const std::vector<std::string>& cells) {
    if (cells.size() != names_.size())
      return problems_.error(
          mark_, fmt::format("{} cells, and there are {} columns", cells.size(), names_.size()));
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].empty()) row[names_[i]] = cells[i];
    const std::optional<double> cycles = cycles_of(row);
    std::string name;
    for (const auto& [column, cell] : row)
      if (!column.starts_with(time_column) && column != "kind") name += column + "=" + cell + ";";
    MeasuredLayer& made = layers_.emplace_back();
    made.mark = mark_;
    made.cycles = cycles.value_or(0);
    made.kind = row.contains("kind") ? row.at("kind") : "";
    const std::string digest = sha256(name);
    made.fitted = (std::stoi(digest.substr(0, 2), nullptr, 16) & 1) == 0;
    rows_.push_back(std::move(row));
  }

  std::optional<double> cycles_of(const Row& row) {
    std::optional<double> cycles;
    for (const TimeUnit& unit : time_units) {
      const std::string column = std::string(time_column) + unit.name;
      const auto cell = row.find(column);
      if (cell == row.end()) continue;
      const std::optional<double> number = number_of(cell->second);
      if (!number || !std::isfinite(*number) || !(*number > 0)) {
        problems_.error(mark_,
                        fmt::format("{} is '{}'; it must be a number above 0", column, cell->second));
        return std::nullopt;
      }
      if (cycles) {
        problems_.error(mark_, "measured in two units; a row must have one of them");
        return std::nullopt;
      }
      if (unit.ns > 0 && accelerator_.clock_period == 0) {
        problems_.error(mark_,
                        fmt::format("{} is a time, and '{}' has no clock to count its cycles by", column,
                                    accelerator_.name),
                        "add clock_period [ns] or clock to the accelerator, or measure cycles");
        return std::nullopt;
      }
      cycles = unit.ns > 0 ? *number * unit.ns / accelerator_.clock_period : *number;
    }
    if (!cycles) problems_.error(mark_, "nothing measured: the cell is empty");
    return cycles;
  }

  void make_layers() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      mark_ = layers_[i].mark;
      if (inputs_.network != nullptr)
        take_layer(rows_[i], layers_[i]);
      else
        make_layer(rows_[i], layers_[i]);
    }
  }

  void take_layer(const Row& row, MeasuredLayer& made) {
    const std::string name = row.contains("layer") ? row.at("layer") : "";
    std::vector<std::string> names;
    for (const auto& layer : inputs_.network->layers) {
      if (layer->name == name) {
        made.layer = *layer;
        finish(made.layer);
        if (made.kind.empty()) made.kind = layer->type.empty() ? "layer" : layer->type;
        return;
      }
      names.push_back(layer->name);
    }
    problems_.error(mark_, fmt::format("the workload '{}' has no layer '{}'", inputs_.network->name, name),
                    suggestion(name, names));
  }

  /// A size; 1 where the row says none.
  std::int64_t size_of(const Row& row, const std::string& column) {
    const auto cell = row.find(column);
    if (cell == row.end()) return 1;
    const std::optional<double> number = number_of(cell->second);
    if (number && *number >= 1 && *number == std::floor(*number) && *number <= 1e9)
      return static_cast<std::int64_t>(*number);
    problems_.error(mark_,
                    fmt::format("{} is '{}'; it must be a whole number from 1", column, cell->second));
    return 1;
  }

  void make_layer(const Row& row, MeasuredLayer& made) {
    if (!row.contains("K") || !row.contains("C"))
      return problems_.error(mark_, fmt::format("no size of {}: nothing says how large the layer is",
                                                row.contains("K") ? "C" : "K"));
    const bool product = row.contains("tokens");
    std::map<std::string, std::int64_t> sizes;
    for (const char* loop : loops_of_convolutions) sizes[loop] = size_of(row, loop);
    if (product) {
      if (row.contains("B"))
        return problems_.error(mark_, "tokens and B both say how many rows the product has");
      sizes["B"] = size_of(row, "tokens");
    }
    const bool windows = sizes["OY"] > 1 || sizes["OX"] > 1 || sizes["FY"] > 1 || sizes["FX"] > 1;
    if (product && windows)
      return problems_.error(mark_, "tokens are rows of a product, and OY, OX, FY and FX of a convolution");
    if (made.kind.empty()) made.kind = windows ? "convolution" : "product";
    const bool groups = sizes["G"] > 1;
    std::string loops, lengths;
    for (const char* loop : loops_of_convolutions) {
      if (!windows && loop[0] != 'B' && loop[0] != 'G' && loop[0] != 'K' && loop[0] != 'C') continue;
      if (*loop == 'G' && !groups) continue;
      loops += fmt::format("{}{}", loops.empty() ? "" : ", ", loop);
      lengths += fmt::format("{}{}", lengths.empty() ? "" : ", ", sizes[loop]);
    }
    const std::string group = groups ? "[g]" : "";
    const std::string equation =
        windows ? fmt::format("O[b]{0}[k][oy][ox]+=W{0}[k][c][fy][fx]*I[b]{0}[c][iy][ix]", group)
                : fmt::format("O[b]{0}[k]+=I[b]{0}[c]*W{0}[c][k]", group);
    const std::string relations =
        windows ? fmt::format("[iy={}*oy+1*fy, ix={}*ox+1*fx]", size_of(row, "SY"), size_of(row, "SX"))
                : "[]";
    const std::string text = fmt::format(
        "[{{id: 0, name: row, operator_type: {}, equation: '{}', loop_dims: [{}], loop_sizes: [{}], "
        "dimension_relations: {}, operand_precision: {{O: 32, W: 16, I: 16, O_final: 16}}, operand_source: "
        "{{I: 0, W: 0}}}}]",
        windows ? "Conv" : "Gemm", equation, loops, lengths, relations);
    if (problems_.has_errors()) return;  // sizes may be none
    Diagnostics none;
    static const MappingFile nothing_prescribed =
        read_mapping_text("- {name: default, memory_operand_links: {O: O, W: I2, I: I1}}", "default", none);
    made.layer = *read_workload_text(text, "row", nothing_prescribed, {}, none).layers.front();
    made.layer.assumed_precision = {"O", "W", "I", "O_final"};
    if (row.contains("layer")) made.layer.name = row.at("layer");
    if (entries_) select_mapping(made.layer, *entries_, {}, mark_, problems_);
    finish(made.layer);
  }

  void finish(Layer& layer) {
    choose_precision(layer, inputs_.precision, {});
    without_scales_.add(layer.name,
                        adopt_numbers(layer, accelerator_, accelerator_.array, "").why_without_scales);
  }

  const std::string& path_;
  const Accelerator& accelerator_;
  const MeasuredInputs& inputs_;
  std::optional<MappingSelection> entries_;  ///< of rows with sizes
  Diagnostics& told_;
  Diagnostics problems_;
  SourceMark mark_;
  int first_ = 0;  ///< line with the names
  std::vector<std::string> names_;
  std::ptrdiff_t times_ = 0;
  std::vector<Row> rows_;
  std::vector<MeasuredLayer> layers_;
  IgnoredScales without_scales_;
};

}  // namespace

std::vector<MeasuredLayer> read_measured_layers(const std::string& path, const Accelerator& accelerator,
                                                const MeasuredInputs& inputs, Diagnostics& diagnostics,
                                                const Files& files) {
  const std::string* const in_memory = files.in_memory(path);
  const std::string text =
      in_memory != nullptr ? *in_memory : files.read(path, most_bytes, "a file of comma-separated values");
  if (inputs.network == nullptr && inputs.precision.kind != PrecisionChoice::Kind::chosen &&
      accelerator.array.operand_precision.empty())
    throw InputError(fmt::format(
        "nothing says how many bits the numbers of the layers have: give --precision BITS, as 16, or "
        "operand_precision of the array of '{}'",
        accelerator.name));
  return Reader(path, accelerator, inputs, diagnostics).read(text);
}

}  // namespace zz::core
