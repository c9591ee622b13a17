#include "plugins/other_tools/timeloop_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "plugins/other_tools/tagged_yaml.hpp"
#include "plugins/other_tools/timeloop_sparsity.hpp"

namespace zz::plugins {
namespace {

class ProblemReader {
 public:
  ProblemReader(const core::yaml::Node& root, const std::string& path, core::Diagnostics& problems)
      : path_(path), problems_(problems) {
    problem_ = root.find("problem");
    if (problem_ == nullptr) problems_.error(core::SourceMark{path}, "there is no 'problem'");
  }

  Einsum read() {
    Einsum made;
    made.type = "Einsum";
    if (problem_ == nullptr) return made;
    made.mark = problem_->mark;
    core::yaml::MapReader map(*problem_, "the problem", problems_);
    map.optional("version");
    const core::yaml::Node* shape = map.required("shape");
    const core::yaml::Node* instance = map.required("instance");
    map.finish();
    if (shape == nullptr || instance == nullptr ||
        !core::yaml::expect_map(*instance, "'instance'", problems_))
      return made;
    instance_ = instance;
    read_shape(*shape, made);
    return made;
  }

 private:
  void read_shape(const core::yaml::Node& shape, Einsum& made) {
    core::yaml::MapReader map(shape, "the shape", problems_);
    map.nullable("name", made.name);
    if (made.name.empty()) made.name = "problem";
    std::vector<std::string> dimensions;
    map.required("dimensions", dimensions);
    const core::yaml::Node* spaces = map.required("data_spaces");
    if (const core::yaml::Node* coefficients = map.nullable("coefficients"))
      read_coefficients(*coefficients);
    map.finish();
    for (const std::string& name : dimensions) {
      made.loops.push_back({core::upper_case(name), number_of_instance(name).value_or(1)});
      dimensions_.push_back(name);
    }
    if (spaces != nullptr && core::yaml::expect_short_list(*spaces, "'data_spaces'", problems_))
      read_spaces(*spaces, made);
    if (const core::yaml::Node* densities = instance_->find("densities");
        densities != nullptr && !densities->is_null())
      made.sparsity = read_timeloop_densities(*densities, made, problems_);
  }

  void read_coefficients(const core::yaml::Node& list) {
    if (!core::yaml::expect_short_list(list, "'coefficients'", problems_)) return;
    for (const core::yaml::Node& item : list.items) {
      core::yaml::MapReader map(item, "a coefficient", problems_);
      std::string name;
      std::int64_t value = 1;
      map.required("name", name);
      map.optional("default", value);
      map.finish();
      coefficients_[name] = number_of_instance(name, value).value_or(value);
    }
  }

  /// The instance's number for a dimension or a coefficient, else `otherwise`.
  std::optional<std::int64_t> number_of_instance(const std::string& name,
                                                 std::optional<std::int64_t> otherwise = std::nullopt) {
    const core::yaml::Node* node = instance_->find(name);
    std::int64_t number = 0;
    if (node == nullptr) {
      if (!otherwise)
        problems_.error(instance_->mark,
                        fmt::format("'instance' says nothing of '{}'", core::shown_text(name)),
                        fmt::format("'{}: a whole number' is expected", core::shown_text(name)));
      return otherwise;
    }
    if (!core::yaml::read(*node, fmt::format("'{}' of 'instance'", name), number, problems_))
      return std::nullopt;
    if (number >= 1) return number;
    problems_.error(node->mark, fmt::format("'{}' of 'instance' is {}", name, number),
                    "a whole number of 1 or more is expected");
    return std::nullopt;
  }

  void read_spaces(const core::yaml::Node& list, Einsum& made) {
    std::vector<EinsumTensor> inputs, outputs;
    for (const core::yaml::Node& item : list.items) {
      core::yaml::MapReader map(item, "a data space", problems_);
      EinsumTensor tensor;
      bool written = false;
      tensor.mark = item.mark;
      map.required("name", tensor.name);
      map.optional("read_write", written);
      const core::yaml::Node* projection = map.required("projection");
      map.finish();
      if (projection != nullptr) read_projection(*projection, tensor);
      (written ? outputs : inputs).push_back(std::move(tensor));
    }
    if (outputs.size() != 1 || inputs.size() != 2) {
      problems_.error(list.mark,
                      fmt::format("{} data spaces are read and {} written", inputs.size(), outputs.size()),
                      "two that are read and one with 'read_write: true' are expected");
      return;
    }
    const auto has_sum = [](const EinsumTensor& tensor) {
      return std::any_of(tensor.axes.begin(), tensor.axes.end(), [](const auto& axis) {
        return axis.size() > 1 || (axis.size() == 1 && axis[0].factor > 1);
      });
    };
    if (has_sum(inputs[1])) std::swap(inputs[0], inputs[1]);
    made.output = std::move(outputs[0]);
    made.input = std::move(inputs[0]);
    made.weight = std::move(inputs[1]);
    made.weight.constant = true;
  }

  /// A list of axes, each a list of terms, each a dimension and maybe a coefficient. An expression in words
  /// is not read.
  void read_projection(const core::yaml::Node& list, EinsumTensor& tensor) {
    const std::string what = fmt::format("the projection of '{}'", tensor.name);
    if (!core::yaml::expect_short_list(list, what, problems_)) return;
    for (const core::yaml::Node& axis : list.items) {
      if (!core::yaml::expect_short_list(axis, "an axis of " + what, problems_)) continue;
      std::vector<IndexTerm> terms;
      for (const core::yaml::Node& term : axis.items) read_term(term, what, terms);
      tensor.axes.push_back(std::move(terms));
    }
  }

  void read_term(const core::yaml::Node& node, const std::string& what, std::vector<IndexTerm>& terms) {
    std::vector<std::string> words;
    if (!core::yaml::read(node, "a term of " + what, words, problems_)) return;
    if (words.empty() || words.size() > 2) {
      problems_.error(node.mark, fmt::format("a term of {} has {} parts", what, words.size()),
                      "a dimension, and maybe a coefficient, are expected");
      return;
    }
    if (std::find(dimensions_.begin(), dimensions_.end(), words[0]) == dimensions_.end()) {
      problems_.error(node.mark,
                      fmt::format("'{}' in {} is no dimension", core::shown_text(words[0]), what),
                      core::suggestion(words[0], dimensions_));
      return;
    }
    std::int64_t factor = 1;
    if (words.size() == 2) {
      const auto known = coefficients_.find(words[1]);
      if (known == coefficients_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, value] : coefficients_) names.push_back(name);
        problems_.error(node.mark,
                        fmt::format("'{}' in {} is no coefficient", core::shown_text(words[1]), what),
                        core::suggestion(words[1], names));
        return;
      }
      factor = known->second;
    }
    terms.push_back({factor, core::upper_case(words[0])});
  }

  std::string path_;
  core::Diagnostics& problems_;
  const core::yaml::Node* problem_ = nullptr;
  const core::yaml::Node* instance_ = nullptr;
  std::vector<std::string> dimensions_;
  std::map<std::string, std::int64_t> coefficients_;
};

}  // namespace

Einsum read_timeloop_problem(const std::string& path, core::Diagnostics& diagnostics,
                             const core::Files& files) {
  const core::yaml::Node root = read_tagged_yaml(path, "Timeloop's front end", diagnostics, files);
  core::Diagnostics problems;
  Einsum made = ProblemReader(root, path, problems).read();
  core::yaml::hand_over(problems, diagnostics);
  return made;
}

std::string memory_operand_of(const Einsum& problem, const std::string& data_space) {
  if (data_space == problem.input.name) return "I1";
  if (data_space == problem.weight.name) return "I2";
  return data_space == problem.output.name ? "O" : "";
}

}  // namespace zz::plugins
