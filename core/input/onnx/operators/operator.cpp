#include "core/input/onnx/operators/operator.hpp"

#include <iterator>
#include <string>
#include <unordered_map>

namespace zz::core::onnx_import {
namespace {

std::vector<Operator> collect() {
  std::vector<Operator> all;
  for (const auto family :
       {constant_operators, elementwise_operators, rearranging_operators, joining_operators,
        indexing_operators, reducing_operators, normalising_operators, quantising_operators,
        image_operators, signal_operators, convolution_operators, matrix_product_operators,
        einsum_operators, recurrent_operators, attention_operators, expert_operators}) {
    const std::vector<Operator> members = family();
    all.insert(all.end(), members.begin(), members.end());
  }
  return all;
}

std::string key(std::string_view domain, std::string_view name) {
  return std::string(domain == "ai.onnx" ? standard_domain : domain) + ":" + std::string(name);
}

}  // namespace

std::string_view word_for(Operator::Work work) {
  switch (work) {
    case Operator::Work::products:
      return "products";
    case Operator::Work::vector:
      return "vector";
    case Operator::Work::rearrangement:
      return "rearrangement";
    default:
      return "none";
  }
}

void infer_like_first_input(const OperatorNode& node) { node.set(0, node.type(0), node.shape_if_known(0)); }

const std::vector<Operator>& all_operators() {
  static const std::vector<Operator> all = collect();
  return all;
}

const Operator* find_operator(std::string_view domain, std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string, const Operator*> by_name;
    for (const Operator& each : all_operators()) by_name.emplace(key(each.domain, each.name), &each);
    return by_name;
  }();
  const auto found = table.find(key(domain, name));
  return found != table.end() ? found->second : nullptr;
}

}  // namespace zz::core::onnx_import
