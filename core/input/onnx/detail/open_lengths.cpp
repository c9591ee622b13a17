#include "core/input/onnx/detail/open_lengths.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fnmatch.h>
#include <onnx/onnx_pb.h>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "core/base/expression.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"

namespace zz::core::onnx_import {

namespace {

/// The parts of "past_sequence_length + sequence_length"; none for a name that is no sum.
std::vector<std::string> summands(const std::string& name) {
  if (name.find(" + ") == std::string::npos) return {};
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    const std::size_t first = name.find_first_not_of(' ', begin), last = name.find_last_not_of(" +", end);
    if (first == std::string::npos || first >= end || last < first) return {};
    parts.push_back(name.substr(first, last - first + 1));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

using Axes = std::map<std::string, GivenLength>;

/// Axes of the inputs of a file ("x:0"): a length, or the name of one.
Axes axes_of(const onnx::GraphProto& graph) {
  Axes axes;
  for (const auto& input : graph.input()) {
    int place = 0;
    for (const auto& axis : input.type().tensor_type().shape().dim()) {
      const std::string name = fmt::format("{}:{}", input.name(), place++);
      if (axis.has_dim_value() && axis.dim_value() >= 0)
        axes.emplace(name, axis.dim_value());
      else
        axes.emplace(name, axis.dim_param());
    }
  }
  return axes;
}

/// The lengths that entries mean, expressions worked out. Each one that means none is a problem once.
class MeantLengths {
 public:
  struct Problem {
    std::string message, hint;
  };

  MeantLengths(const Dimensions& dimensions, const onnx::GraphProto& graph)
      : dimensions_(dimensions), axes_(axes_of(graph)) {}

  /// The length of an entry; nothing where it is a problem.
  std::optional<std::int64_t> of_entry(const std::string& name) {
    const GivenLength& given = dimensions_.at(name);
    if (const auto* const number = std::get_if<std::int64_t>(&given)) return *number;
    const std::string& expression = std::get<std::string>(given);
    const auto [found, is_new] = known_.emplace(name, std::nullopt);
    if (!is_new) return found->second;
    waiting_.insert(name);
    try {
      known_[name] = of_expression(expression);
    } catch (const InputError& problem) {
      problems_.push_back({fmt::format("length '{}': {}", name, problem.what()), ""});
    } catch (const NodeProblem& problem) {
      problems_.push_back(
          {fmt::format("length '{}': expression '{}' {}", name, shown_text(expression), problem.what()),
           problem.hint()});
    } catch (const NeedsProblem&) {
    }
    waiting_.erase(name);
    return known_[name];
  }

  const std::vector<Problem>& problems() const { return problems_; }
  /// The names that expressions have.
  const std::unordered_set<std::string>& used() const { return used_; }

 private:
  /// An expression needs a length that is a problem already.
  struct NeedsProblem {};

  std::int64_t of_expression(const std::string& text) {
    const Expression expression(text);
    std::vector<Fraction> lengths;
    for (const std::string& name : expression.names()) lengths.push_back({of(name), 1});
    const Fraction value = expression.exact(lengths);
    if (value.under != 1)
      throw NodeProblem(fmt::format("is {}/{}, no whole number", value.over, value.under),
                        "ceil(...) rounds up, floor(...) down");
    if (value.over < 0) throw NodeProblem(fmt::format("is {}, less than 0", value.over));
    return value.over;
  }

  std::int64_t of(const std::string& name) {
    if (dimensions_.count(name) != 0) {
      used_.insert(name);
      if (waiting_.count(name) != 0)
        throw NodeProblem(fmt::format("needs the length '{}', which needs it", name));
      const std::optional<std::int64_t> length = of_entry(name);
      if (!length) throw NeedsProblem();
      return *length;
    }
    if (const auto axis = axes_.find(name); axis != axes_.end()) {
      if (const auto* const length = std::get_if<std::int64_t>(&axis->second)) return *length;
      if (const auto& symbol = std::get<std::string>(axis->second); dimensions_.count(symbol) != 0)
        return of(symbol);
    }
    throw unknown(name);
  }

  NodeProblem unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [entry, length] : dimensions_)
      if (entry.find('*') == std::string::npos) names.push_back(entry);
    bool is_open = axes_.count(name) != 0;
    for (const auto& [axis, length] : axes_) {
      const auto* const symbol = std::get_if<std::string>(&length);
      if (symbol == nullptr) names.push_back(axis);
      is_open = is_open || (symbol != nullptr && *symbol == name);
    }
    if (is_open)
      return NodeProblem(fmt::format("needs the length '{}', which nobody gives", name),
                         "give it a number beside the expression");
    return NodeProblem(fmt::format("has the name '{}', which no length has", name),
                       suggestion(name, names));
  }

  const Dimensions& dimensions_;
  const Axes axes_;
  std::map<std::string, std::optional<std::int64_t>> known_;  // expressions
  std::unordered_set<std::string> waiting_;                   // for the names in them
  std::unordered_set<std::string> used_;
  std::vector<Problem> problems_;
};

}  // namespace

OpenLengths::OpenLengths(const Dimensions& dimensions, const onnx::GraphProto& graph) {
  MeantLengths meant(dimensions, graph);
  // One without a length is an error; no other one misses it then.
  for (const auto& [name, given] : dimensions) lengths_.emplace(name, meant.of_entry(name).value_or(1));
  for (const auto& [message, hint] : meant.problems()) problems_.push_back({message, hint});
  used_ = meant.used();
}

std::int64_t OpenLengths::given(const std::string& name) {
  known_.insert(name);
  auto found = lengths_.find(name);
  for (auto it = lengths_.begin(); found == lengths_.end() && it != lengths_.end(); ++it)
    if (it->first.find('*') != std::string::npos && fnmatch(it->first.c_str(), name.c_str(), 0) == 0)
      found = it;
  if (found == lengths_.end()) return given_sum(name);
  used_.insert(found->first);
  return found->second;
}

std::int64_t OpenLengths::given_sum(const std::string& name) {
  const std::vector<std::string> parts = summands(name);
  std::int64_t sum = 0;
  for (const std::string& part : parts) {
    const std::int64_t length = whole_number(part).value_or(-1) >= 0 ? *whole_number(part) : given(part);
    if (length == unknown_length) return unknown_length;
    sum += length;
  }
  return parts.empty() ? unknown_length : sum;
}

std::int64_t OpenLengths::given_if_meant(const std::string& name) {
  if (lengths_.count(name) != 0) return given(name);
  const std::vector<std::string> parts = summands(name);
  const bool all = !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return whole_number(part) || lengths_.count(part) != 0;
  });
  return all ? given_sum(name) : unknown_length;
}

void OpenLengths::add(const std::string& name, const std::string& where) {
  const std::vector<std::string> parts = summands(name);
  for (const std::string& part : parts)
    if (!whole_number(part) && lengths_.count(part) == 0) inputs_[part].push_back(where);
  if (parts.empty()) inputs_[name].push_back(where);
}

void OpenLengths::report_unused(const SourceMark& mark, Diagnostics& diagnostics) const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [name, length] : lengths_)
    if (used_.count(name) == 0)
      diagnostics.error(mark, fmt::format("the network leaves no length '{}' open", name),
                        suggestion(name, known));
}

void OpenLengths::report(const SourceMark& mark, Diagnostics& diagnostics) const {
  for (const Problem& problem : problems_) diagnostics.error(mark, problem.message, problem.hint);
  if (inputs_.empty()) return;
  std::vector<std::string> lengths, settings;
  for (const auto& [name, inputs] : inputs_) {
    constexpr std::size_t most_named = 3;
    const std::size_t named = std::min(most_named, inputs.size());
    const auto end = inputs.begin() + static_cast<std::ptrdiff_t>(named);
    const std::size_t others = inputs.size() - named;
    lengths.push_back(fmt::format("'{}' ({}{})", name, fmt::join(inputs.begin(), end, ", "),
                                  others > 0 ? fmt::format(" and {} more", others) : ""));
    settings.push_back(fmt::format("\"{}\": LENGTH", name));
  }
  diagnostics.error(mark, fmt::format("the network leaves lengths open: {}", fmt::join(lengths, "; ")),
                    fmt::format("write `dimensions: {{{}}}`", fmt::join(settings, ", ")));
}

}  // namespace zz::core::onnx_import
