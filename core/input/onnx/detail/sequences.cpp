#include "core/input/onnx/detail/sequences.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <utility>

#include "core/input/onnx/detail/graph_evaluation.hpp"

namespace zz::core::onnx_import {
namespace {

using Tensors = std::vector<std::int64_t>;

// docs/limits.md names it.
constexpr std::int64_t most_tensors = 100'000;

/// Thrown for a sequence that is known at run time only.
struct DependsOnData {
  std::string reason;
};

/// Runs one node.
class SequenceNode : private FollowedNode {
 public:
  using FollowedNode::FollowedNode;

  void run() {
    try {
      follow();
    } catch (const DependsOnData& unknown) {
      Tensors inputs;
      for (int i = 0; i < node_.input_size(); ++i) {
        const std::int64_t given = has_input(i) ? input(i) : -1;
        if (given >= 0 && tensor(given).sequence != nullptr)
          inputs.insert(inputs.end(), tensor(given).sequence->begin(), tensor(given).sequence->end());
        else
          inputs.push_back(given);
      }
      const std::vector<std::string> names(node_.output().begin(), node_.output().end());
      const Tensors results =
          evaluation_.run_operator(node_, name_, around_, std::move(inputs), names, unknown.reason);
      for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i] >= 0) scope_.put(names[i], results[i]);
    }
  }

 private:
  void follow() {
    const std::string& type = node_.op_type();
    if (type == "Identity") return scope_.put(node_.output(0), input(0));
    if (type == "SequenceEmpty") return put_sequence({});
    if (type == "SequenceConstruct") return construct();
    if (type == "SequenceInsert") return insert();
    if (type == "SequenceErase") return erase();
    if (type == "SequenceAt") return take();
    if (type == "SequenceLength") return count();
    if (type == "SplitToSequence") return split();
    if (type == "ConcatFromSequence") return join();
    map();
  }

  std::int64_t input(int i) const {
    const std::int64_t found = input_or_none(i);
    if (found < 0) throw NodeProblem(fmt::format("its input {} is missing", i));
    return found;
  }

  const Tensors& sequence(int i) {
    const auto& found = tensor(input(i)).sequence;
    if (found == nullptr)
      throw DependsOnData{
          fmt::format("the tensors of sequence '{}' are known at run time only", node_.input(i))};
    return *found;
  }

  /// A place in a sequence of that many tensors: input `i`, counted from the end when it is negative.
  std::size_t place(int i, std::size_t tensors) {
    const auto* const values = integers(input(i));
    if (values == nullptr || values->size() != 1)
      throw DependsOnData{"a place in a sequence of tensors is known at run time only"};
    const auto length = static_cast<std::int64_t>(tensors);
    const std::int64_t place = values->front() < 0 ? values->front() + length : values->front();
    if (place < 0 || place > length)
      throw NodeProblem(fmt::format("it names tensor {} of a sequence of {}", values->front(), length));
    return static_cast<std::size_t>(place);
  }

  void put_sequence(Tensors tensors, int output = 0) {
    Tensor sequence;
    sequence.name = full_output_name(output);
    sequence.unknown_because = fmt::format("it is a sequence of {} tensors", tensors.size());
    sequence.sequence = std::make_shared<const Tensors>(std::move(tensors));
    scope_.put(node_.output(output), evaluation_.add_tensor(std::move(sequence)));
  }

  void construct() {
    Tensors tensors;
    for (int i = 0; i < node_.input_size(); ++i) tensors.push_back(input(i));
    put_sequence(std::move(tensors));
  }

  void insert() {
    Tensors tensors = sequence(0);
    const std::size_t at = has_input(2) ? place(2, tensors.size()) : tensors.size();
    if (static_cast<std::int64_t>(tensors.size()) >= most_tensors) refuse_length();
    tensors.insert(tensors.begin() + static_cast<std::ptrdiff_t>(at), input(1));
    put_sequence(std::move(tensors));
  }

  void erase() {
    Tensors tensors = sequence(0);
    if (tensors.empty()) throw NodeProblem("it takes a tensor out of an empty sequence");
    const std::size_t at = has_input(1) ? place(1, tensors.size()) : tensors.size() - 1;
    if (at == tensors.size()) throw NodeProblem(fmt::format("it names tensor {} of as many", at));
    tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(at));
    put_sequence(std::move(tensors));
  }

  void take() {
    const Tensors& tensors = sequence(0);
    const std::size_t at = place(1, tensors.size());
    if (at == tensors.size()) throw NodeProblem(fmt::format("it names tensor {} of as many", at));
    scope_.put(node_.output(0), tensors[at]);
  }

  void count() {
    const auto length = static_cast<std::int64_t>(sequence(0).size());
    scope_.put(node_.output(0), add_number(full_output_name(0), ElementType::int64, length));
  }

  void split() {
    const std::int64_t count = pieces();
    Tensors inputs{input(0)};
    if (has_input(1)) inputs.push_back(input(1));
    std::vector<std::string> results;
    for (std::int64_t i = 0; i < count; ++i) results.push_back(fmt::format("{}/{}", node_.output(0), i));
    put_sequence(evaluation_.run_operator(node_, name_, around_, std::move(inputs), results));
  }

  /// Tensors that a SplitToSequence makes: the second input are their lengths, or the length of each.
  std::int64_t pieces() {
    const auto* const lengths = has_input(1) ? integers(input(1)) : nullptr;
    const bool one_length = lengths != nullptr && tensor(input(1)).shape->empty();
    std::int64_t count = unknown_length;
    if (lengths != nullptr && !one_length) {
      count = static_cast<std::int64_t>(lengths->size());
    } else if (const auto& shape = tensor(input(0)).shape; shape && (lengths != nullptr || !has_input(1))) {
      const Attributes attributes(node_, around_.call);
      const std::int64_t length = (*shape)[axis_from_front(attributes.integer("axis", 0), shape->size())];
      const std::int64_t each = one_length ? lengths->front() : 1;
      if (each < 1) throw NodeProblem(fmt::format("it cuts into pieces of length {}", each));
      if (length != unknown_length) count = length / each + (length % each != 0);
    }
    if (count == unknown_length)
      throw DependsOnData{"the number of tensors that it makes is known at run time only"};
    if (count > most_tensors) refuse_length();
    return count;
  }

  void join() {
    const Tensors results = evaluation_.run_operator(node_, name_, around_, sequence(0), {node_.output(0)});
    scope_.put(node_.output(0), results.front());
  }

  // SequenceMap: the body runs for each tensor of the first input, and of other inputs that are sequences.
  void map() {
    const onnx::GraphProto& body = graph("body");
    if (body.input_size() != node_.input_size() || body.output_size() < node_.output_size())
      throw NodeProblem("its body has other inputs or outputs than the node");
    std::vector<Tensors> results(static_cast<std::size_t>(node_.output_size()));
    const std::size_t length = sequence(0).size();
    for (std::size_t n = 0; n < length; ++n) {
      Scope inner(&scope_);
      for (int i = 0; i < node_.input_size(); ++i) {
        const std::int64_t given = input(i);
        const auto& of_each = tensor(given).sequence;
        if (of_each != nullptr && of_each->size() < length)
          throw NodeProblem(
              fmt::format("its inputs are sequences of {} and {} tensors", length, of_each->size()));
        inner.put(body.input(i).name(), of_each != nullptr ? (*of_each)[n] : given);
      }
      evaluation_.run_graph(body, inner, inside(fmt::format("#{}", n)));
      for (std::size_t i = 0; i < results.size(); ++i)
        results[i].push_back(inner.find(body.output(static_cast<int>(i)).name()));
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      put_sequence(std::move(results[i]), static_cast<int>(i));
  }

  [[noreturn]] static void refuse_length() {
    throw NodeProblem(fmt::format("a sequence has more than {} tensors", most_tensors));
  }
};

}  // namespace

bool is_on_sequences(const GraphEvaluation& evaluation, const onnx::NodeProto& node, const Scope& scope) {
  constexpr std::string_view types =
      " SequenceEmpty SequenceConstruct SequenceInsert SequenceErase SequenceAt SequenceLength SequenceMap "
      "SplitToSequence ConcatFromSequence ";
  const std::string& type = node.op_type();
  if (types.find(' ' + type + ' ') != std::string_view::npos) return node.output_size() > 0;
  if (type != "Identity" || node.input_size() == 0 || node.output_size() == 0) return false;
  const std::int64_t input = scope.find(node.input(0));
  return input >= 0 && evaluation.network().tensors[static_cast<std::size_t>(input)].sequence != nullptr;
}

void run_on_sequences(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name,
                      Scope& scope, const Surroundings& around) {
  SequenceNode(evaluation, node, name, scope, around).run();
}

}  // namespace zz::core::onnx_import
