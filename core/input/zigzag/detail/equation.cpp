#include "core/input/zigzag/detail/equation.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/base/text_scanner.hpp"
#include "core/workload/layer_check.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

class EquationScanner : public TextScanner {
 public:
  using TextScanner::TextScanner;

  [[noreturn]] void fail(const std::string& expected) {
    const std::string found = at_end() ? "the end" : "'" + std::string(rest()) + "'";
    throw EquationError{"expected " + expected + ", but found " + found, static_cast<int>(at())};
  }
  void expect(std::string_view sign, const std::string& what) {
    if (!take(sign)) fail(what);
  }
  /// A letter, then letters and digits.
  std::string_view name(const std::string& what) {
    if (!begins(is_letter)) fail(what);
    return word(is_letter_or_digit);
  }
  std::int64_t number() {
    const std::string_view text = rest();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{}) fail("a coefficient that fits into 64 bits");
    go_to(at() + static_cast<std::size_t>(end - text.data()));
    return value;
  }
  void expect_end() {
    if (!at_end()) fail("the end");
  }
};

/// "W[k][c]"; appends it to the normalised text.
Equation::Operand read_operand(EquationScanner& scanner, std::string& text) {
  Equation::Operand operand;
  operand.name = scanner.name("the name of an operand, as O, W or I");
  text += operand.name;
  if (!scanner.rest().starts_with('[')) scanner.fail("'[' and a dimension after " + operand.name);
  while (scanner.take("[")) {
    if (scanner.take("]")) {
      text += "[]";
      continue;
    }
    const std::string_view dimension = scanner.name("a dimension");
    scanner.expect("]", "']'");
    text += '[';
    text += dimension;
    text += ']';
    operand.dimensions.push_back(upper_case(dimension));
  }
  return operand;
}

/// "2*ox" or "ox".
std::pair<std::int64_t, std::string> read_term(EquationScanner& scanner) {
  std::int64_t coefficient = 1;
  if (scanner.begins(is_digit)) {
    coefficient = scanner.number();
    scanner.expect("*", "'*'");
  }
  return {coefficient, upper_case(scanner.name("a loop dimension"))};
}

}  // namespace

Equation parse_equation(std::string_view text) {
  EquationScanner scanner(text);
  Equation equation;
  equation.operands.push_back(read_operand(scanner, equation.text));
  if (equation.operands[0].name != "O") throw EquationError{"the output (left of '=') must be called O", 0};
  scanner.take("+");
  scanner.expect("=", "'=' or '+='");
  equation.text += " = ";
  equation.operands.push_back(read_operand(scanner, equation.text));
  if (scanner.at_end()) return equation;
  if (scanner.take("*")) {
    equation.text += " * ";
  } else {
    scanner.expect("+", "'*' or '+' and a second input, or the end");
    scanner.take("+");
    equation.text += " + ";
  }
  equation.operands.push_back(read_operand(scanner, equation.text));
  scanner.expect_end();
  return equation;
}

DimensionRelation parse_dimension_relation(std::string_view text) {
  EquationScanner scanner(text);
  DimensionRelation relation;
  relation.data = upper_case(scanner.name("a data dimension, as IX"));
  scanner.expect("=", "'='");
  std::tie(relation.stride, relation.output_loop) = read_term(scanner);
  scanner.expect("+", "'+' and a second loop dimension");
  std::tie(relation.dilation, relation.filter_loop) = read_term(scanner);
  scanner.expect_end();
  return relation;
}

namespace {

class RelationsReader {
 public:
  RelationsReader(yaml::MapReader& map, const yaml::Node& node, Layer& layer, const Rules& rules,
                  Diagnostics& diagnostics)
      : map_(map), node_(node), layer_(layer), rules_(rules), diagnostics_(diagnostics) {}

  bool read(bool has_loops) {
    read_relations();
    if (has_loops && fine_) check_loops();
    read_given_sizes(has_loops && fine_);
    if (!has_loops || !fine_) return false;
    complete_sizes();
    return fine_;
  }

 private:
  void error(const SourceMark& mark, const std::string& message, const std::string& hint = "") {
    diagnostics_.error(mark, message, hint);
    fine_ = false;
  }

  void read_relations() {
    std::vector<std::string> texts;
    const yaml::Node* list = map_.find("dimension_relations");
    if (list == nullptr) return;
    if (!yaml::read(*list, map_.what("dimension_relations"), texts, diagnostics_)) {
      fine_ = false;
      return;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      SourceMark mark = list->items[i].mark;
      try {
        layer_.relations.push_back(parse_dimension_relation(texts[i]));
        relation_marks_.push_back(mark);
      } catch (const EquationError& problem) {
        mark.column += problem.offset + (list->items[i].quoted ? 1 : 0);
        error(mark, fmt::format("a relation of {} cannot be read: {}", map_.what(), problem.message),
              "a relation looks like ix = 2*ox + 1*fx; for a window of one element FX is a loop of size 1");
      }
    }
  }

  void check_loops() {
    std::vector<std::string> loops;
    for (const LoopDimension& loop : layer_.loops) loops.push_back(loop.name);
    std::vector<std::string> used;
    for (std::size_t i = 0; i < layer_.relations.size(); ++i) {
      const DimensionRelation& relation = layer_.relations[i];
      const SourceMark& mark = relation_marks_[i];
      for (const std::string* loop : {&relation.output_loop, &relation.filter_loop}) {
        if (layer_.loop_index(*loop) < 0) {
          error(mark,
                fmt::format("the relation of {} names {}, which is not in loop_dims of {}", relation.data,
                            *loop, map_.what()),
                suggestion(*loop, loops));
        } else if (std::find(used.begin(), used.end(), *loop) != used.end()) {
          error(mark, fmt::format("the loop {} takes part in two relations of {}", *loop, map_.what()),
                "a loop can step through one data dimension only");
        }
        used.push_back(*loop);
      }
      if (layer_.loop_index(relation.data) >= 0) {
        error(mark, fmt::format("{} is a loop of {} and cannot be a data dimension as well", relation.data,
                                map_.what()));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (layer_.relations[j].data != relation.data) continue;
        error(mark, fmt::format("two relations of {} define {}", map_.what(), relation.data));
        break;
      }
      for (const std::int64_t coefficient : {relation.stride, relation.dilation}) {
        if (coefficient >= 1 && coefficient <= largest_relation_number) continue;
        error(mark, fmt::format("the relation of {} has the coefficient {}; it must be from 1 to {}",
                                relation.data, coefficient, largest_relation_number));
      }
    }
  }

  /// Index of the relation of each item of pr_loop_dims, or -1.
  std::vector<int> read_data_dimensions(const yaml::Node& list, bool check_names) {
    std::vector<std::string> names;
    std::vector<int> indices;
    if (!yaml::read(list, map_.what("pr_loop_dims"), names, diagnostics_)) fine_ = false;
    std::vector<std::string> known;
    for (const DimensionRelation& relation : layer_.relations) known.push_back(relation.data);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = std::find(known.begin(), known.end(), upper_case(names[i]));
      const int index = found == known.end() ? -1 : static_cast<int>(found - known.begin());
      if (index < 0 && check_names) {
        error(list.items[i].mark,
              fmt::format("{} names {}, which no relation of this layer defines", map_.what("pr_loop_dims"),
                          upper_case(names[i])),
              suggestion(upper_case(names[i]), known));
      } else if (index >= 0 && std::find(indices.begin(), indices.end(), index) != indices.end()) {
        error(list.items[i].mark,
              fmt::format("{} names {} twice", map_.what("pr_loop_dims"), upper_case(names[i])));
      }
      indices.push_back(index);
    }
    return indices;
  }

  void read_given_sizes(bool check_names) {
    const yaml::Node* dimensions = map_.find("pr_loop_dims");
    const yaml::Node* sizes = map_.find("pr_loop_sizes");
    const yaml::Node* padding = map_.find("padding");
    if (dimensions == nullptr) {
      for (const char* key : {"pr_loop_sizes", "padding"}) {
        const yaml::Node* value = node_.find(key);
        if (value == nullptr || value->is_null()) continue;
        error(value->mark,
              fmt::format("{} needs pr_loop_dims, which says which dimensions are meant", map_.what(key)));
      }
      return;
    }
    const std::vector<int> indices = read_data_dimensions(*dimensions, check_names);
    if (sizes != nullptr) read_sizes(*sizes, indices);
    if (padding != nullptr) read_padding(*padding, indices);
  }

  bool check_length(const yaml::Node& list, const char* key, std::size_t expected) {
    if (list.items.size() == expected) return true;
    error(list.mark,
          fmt::format("{} has {} items for {} pr_loop_dims", map_.what(key), list.items.size(), expected));
    return false;
  }

  void read_sizes(const yaml::Node& list, const std::vector<int>& indices) {
    std::vector<std::int64_t> sizes;
    if (!yaml::read(list, map_.what("pr_loop_sizes"), sizes, diagnostics_)) {
      fine_ = false;
      return;
    }
    if (!check_length(list, "pr_loop_sizes", indices.size())) return;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < 1 || sizes[i] > largest_relation_number) {
        error(list.items[i].mark,
              fmt::format("an item of {} is {}; it must be from 1 to {}", map_.what("pr_loop_sizes"),
                          sizes[i], largest_relation_number));
      } else if (indices[i] >= 0) {
        layer_.relations[static_cast<std::size_t>(indices[i])].size = sizes[i];
      }
    }
    if (!fine_) return;
    for (const DimensionRelation& relation : layer_.relations) {
      if (relation.size != 0) continue;
      error(list.mark,
            fmt::format("{} gives sizes, but none for {}", map_.what("pr_loop_sizes"), relation.data));
    }
  }

  void read_padding(const yaml::Node& list, const std::vector<int>& indices) {
    if (!yaml::expect_short_list(list, map_.what("padding"), diagnostics_)) {
      fine_ = false;
      return;
    }
    if (!check_length(list, "padding", indices.size())) return;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      std::vector<std::int64_t> pair;
      if (!yaml::read(list.items[i], "an item of " + map_.what("padding"), pair, diagnostics_)) {
        fine_ = false;
      } else if (pair.size() != 2 || *std::min_element(pair.begin(), pair.end()) < 0 ||
                 *std::max_element(pair.begin(), pair.end()) > largest_relation_number) {
        error(list.items[i].mark,
              fmt::format("an item of {} must be two whole numbers, not negative, as [1, 1]",
                          map_.what("padding")));
      } else if (indices[i] >= 0) {
        DimensionRelation& relation = layer_.relations[static_cast<std::size_t>(indices[i])];
        relation.has_padding = true;
        relation.padding_low = pair[0];
        relation.padding_high = pair[1];
      }
    }
  }

  /// The window reaches over so many positions, those that it skips among them; strides may leave some at
  /// the end untouched.
  static std::int64_t reach(const DimensionRelation& relation, std::int64_t outputs, std::int64_t filters) {
    return relation.stride * (outputs - 1) + relation.dilation * (filters - 1) + 1;
  }

  void warn_of_other_size(const DimensionRelation& relation, std::int64_t outputs, std::int64_t filters,
                          const SourceMark& mark) {
    const std::int64_t reached = reach(relation, outputs, filters);
    const std::int64_t given = relation.size + relation.padding_low + relation.padding_high;
    if (given >= reached && given < reached + relation.stride) return;
    diagnostics_.warning(mark, fmt::format("{} of {} is given {} positions with its padding, but its loops "
                                           "reach over {}",
                                           relation.data, map_.what(), given, reached));
  }

  void complete_sizes() {
    for (std::size_t i = 0; i < layer_.relations.size(); ++i) {
      DimensionRelation& relation = layer_.relations[i];
      const std::int64_t outputs = layer_.loop_size(relation.output_loop);
      const std::int64_t filters = layer_.loop_size(relation.filter_loop);
      if (outputs > largest_relation_number || filters > largest_relation_number) {
        error(relation_marks_[i], fmt::format("a loop of the relation of {} is larger than {}",
                                              relation.data, largest_relation_number));
        continue;
      }
      if (relation.size > 0) {
        warn_of_other_size(relation, outputs, filters, relation_marks_[i]);
        continue;
      }
      // ZigZag counts those that are used.
      const std::int64_t positions =
          rules_.overcounted_window_positions
              ? distinct_positions(relation.stride, outputs, relation.dilation, filters, true)
              : reach(relation, outputs, filters);
      relation.size = positions - relation.padding_low - relation.padding_high;
      if (relation.size >= 1) continue;
      error(node_.find("padding") != nullptr ? node_.find("padding")->mark : relation_marks_[i],
            fmt::format("the padding of {} in {} leaves nothing of its {} positions", relation.data,
                        map_.what(), positions));
    }
  }

  yaml::MapReader& map_;
  const yaml::Node& node_;
  Layer& layer_;
  const Rules& rules_;
  Diagnostics& diagnostics_;
  std::vector<SourceMark> relation_marks_;
  bool fine_ = true;
};

}  // namespace

bool read_relations(yaml::MapReader& map, const yaml::Node& node, Layer& layer, bool has_loops,
                    const Rules& rules, Diagnostics& diagnostics) {
  return RelationsReader(map, node, layer, rules, diagnostics).read(has_loops);
}

}  // namespace zz::core
