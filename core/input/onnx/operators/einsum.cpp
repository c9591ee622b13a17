#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/input/onnx/operators/operator.hpp"

// Einsum: sums over products, by an equation of letters.
namespace zz::core::onnx_import {
namespace {

/// A label of the equation: a letter, or an axis of the ellipsis ("." and its place from the end).
using Label = std::string;

struct Equation {
  std::vector<std::vector<Label>> inputs;
  std::vector<Label> output;
};

std::vector<std::string> split_terms(const std::string& text) {
  std::vector<std::string> terms{""};
  for (const char c : text) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  }
  return terms;
}

/// `ellipsis`: how many axes the dots stand for.
std::vector<Label> labels_of(const std::string& term, std::size_t ellipsis) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] == '.') {
      if (term.compare(i, 3, "...") != 0)
        throw NodeProblem("its equation has a dot that belongs to no ellipsis");
      for (std::size_t axis = ellipsis; axis-- > 0;) labels.push_back("." + std::to_string(axis));
      i += 2;
    } else {
      labels.emplace_back(1, term[i]);
    }
  }
  return labels;
}

std::size_t letter_count(const std::string& term) {
  return static_cast<std::size_t>(std::count_if(term.begin(), term.end(), [](char c) { return c != '.'; }));
}

Equation parse(const OperatorNode& node) {
  std::string text = node.attributes().text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (text.empty()) throw NodeProblem("the attribute 'equation' is missing");
  const std::size_t arrow = text.find("->");
  const auto terms = split_terms(text.substr(0, arrow));
  if (terms.size() != node.input_count())
    throw NodeProblem(fmt::format("its equation '{}' is for {} inputs, it has {}", text, terms.size(),
                                  node.input_count()));
  Equation equation;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::size_t axes = node.shape(i) != nullptr ? node.shape(i)->size() : letter_count(terms[i]);
    const bool dots = terms[i].find("...") != std::string::npos;
    if (axes < letter_count(terms[i]) || (!dots && axes != letter_count(terms[i])))
      throw NodeProblem(
          fmt::format("its equation '{}' does not fit input {}, which has {} axes", text, i, axes));
    const std::size_t ellipsis = axes - letter_count(terms[i]);
    widest = std::max(widest, ellipsis);
    equation.inputs.push_back(labels_of(terms[i], ellipsis));
  }
  if (arrow != std::string::npos) {
    equation.output = labels_of(text.substr(arrow + 2), widest);
    return equation;
  }
  // Without an arrow the result has the dots and, in order of the alphabet, all letters that stand once.
  std::map<Label, int> times;
  for (const auto& labels : equation.inputs)
    for (const Label& label : labels) ++times[label];
  for (std::size_t axis = widest; axis-- > 0;) equation.output.push_back("." + std::to_string(axis));
  for (const auto& [label, count] : times)
    if (label[0] != '.' && count == 1) equation.output.push_back(label);
  return equation;
}

std::map<Label, std::int64_t> index_lengths(const OperatorNode& node, const Equation& equation) {
  std::map<Label, std::int64_t> lengths;
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    if (node.shape(i) == nullptr) continue;
    for (std::size_t axis = 0; axis < equation.inputs[i].size(); ++axis) {
      const std::int64_t length = (*node.shape(i))[axis];
      const auto [known, first] = lengths.emplace(equation.inputs[i][axis], length);
      if (first || known->second == length || length == 1) continue;
      if (known->second == 1 || known->second == unknown_length)
        known->second = length;
      else if (length != unknown_length)
        throw NodeProblem(
            fmt::format("its index '{}' has the lengths {} and {}", known->first, known->second, length));
    }
  }
  return lengths;
}

void infer_einsum(const OperatorNode& node) {
  const Equation equation = parse(node);
  const auto lengths = index_lengths(node, equation);
  Shape shape;
  for (const Label& label : equation.output) {
    const auto found = lengths.find(label);
    if (found == lengths.end()) {
      bool all_known = true;
      for (std::size_t i = 0; i < node.input_count(); ++i)
        all_known = all_known && node.shape(i) != nullptr;
      if (all_known) throw NodeProblem(fmt::format("the index '{}' of its result is in no input", label));
    }
    shape.push_back(found != lengths.end() ? found->second : unknown_length);
  }
  node.set(0, node.type(0), std::move(shape));
}

/// The factors that a product of two reads and makes.
using Labels = std::set<Label>;

Labels all_of(const std::vector<Label>& labels) { return {labels.begin(), labels.end()}; }

// As a product of matrices where the letters allow it: C is summed, D belongs to the first factor, K to the
// second, B and H to both. Every further letter is a loop of its own.
class LoopNames {
 public:
  std::string name(bool in_input, bool in_weight, bool in_output) {
    const bool summed = !in_output;
    const char* const wanted = summed ? "C" : in_input && in_weight ? "B" : in_input ? "D" : "K";
    for (const std::string& candidate : {std::string(wanted), std::string(summed                  ? "E"
                                                                          : in_input && in_weight ? "H"
                                                                          : in_input              ? "M"
                                                                                                  : "N")})
      if (used_.insert(candidate).second) return candidate;
    for (char letter = 'L';; letter = letter == 'Z' ? 'A' : static_cast<char>(letter + 1)) {
      const std::string candidate = std::string(1, letter) + (used_.size() > 20 ? "A" : "");
      if (used_.insert(candidate).second) return candidate;
    }
  }

 private:
  std::set<std::string> used_;
};

Product product_of_two(const Labels& input, const Labels& weight, const Labels& output,
                       const std::map<Label, std::int64_t>& lengths, const std::vector<Label>& order) {
  Product product;
  product.weight_first = false;
  LoopNames names;
  for (const Label& label : order) {
    const bool in_input = input.count(label) != 0, in_weight = weight.count(label) != 0;
    if (!in_input && !in_weight) continue;
    const bool in_output = output.count(label) != 0;
    const std::string name = names.name(in_input, in_weight, in_output);
    product.loops.push_back({name, lengths.at(label)});
    if (in_output) product.output_dimensions.push_back(name);
    if (in_input) product.input.dimensions.push_back(name);
    if (in_weight) product.weight.dimensions.push_back(name);
  }
  return product;
}

// Several factors are multiplied from the left, as the runtime does: each step is one product over all
// indices that are still needed.
std::vector<Product> einsum_products(const OperatorNode& node) {
  const Equation equation = parse(node);
  if (equation.inputs.size() < 2) return {};
  for (std::size_t i = 0; i < node.input_count(); ++i) node.full_shape(i);
  const auto lengths = index_lengths(node, equation);
  std::vector<Label> order;
  for (const auto& labels : equation.inputs)
    for (const Label& label : labels)
      if (std::find(order.begin(), order.end(), label) == order.end()) order.push_back(label);
  // An axis of length 1 that is repeated does not move with its index.
  const auto factor = [&](std::size_t i) {
    Labels labels;
    for (std::size_t axis = 0; axis < equation.inputs[i].size(); ++axis) {
      const Label& label = equation.inputs[i][axis];
      if ((*node.shape(i))[axis] != 1 || lengths.at(label) == 1) labels.insert(label);
    }
    return labels;
  };
  std::vector<Product> products;
  Labels left = factor(0);
  for (std::size_t i = 1; i < equation.inputs.size(); ++i) {
    const Labels right = factor(i);
    Labels needed = all_of(equation.output);
    for (std::size_t later = i + 1; later < equation.inputs.size(); ++later)
      for (const Label& label : equation.inputs[later]) needed.insert(label);
    Product product = product_of_two(left, right, needed, lengths, order);
    if (i == 1)
      product.input.input = 0;
    else
      product.input.product = static_cast<int>(products.size()) - 1;
    product.weight.input = static_cast<int>(i);
    const bool last = i + 1 == equation.inputs.size();
    product.output = last ? 0 : -1;
    if (equation.inputs.size() > 2) product.suffix = fmt::format("/product{}", i - 1);
    Labels result;
    for (const Label& label : needed)
      if (left.count(label) != 0 || right.count(label) != 0) result.insert(label);
    left = std::move(result);
    products.push_back(std::move(product));
  }
  return products;
}

}  // namespace

std::vector<Operator> einsum_operators() {
  return {{standard_domain, "Einsum", Operator::Work::products, infer_einsum, einsum_products}};
}

}  // namespace zz::core::onnx_import
