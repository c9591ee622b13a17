#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/input/onnx/detail/node_layers.hpp"
#include "core/input/onnx/detail/workload_builder.hpp"
#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// The products of a node and their layers. A layer gets its id when it is added to the workload.
struct NodeProducts {
  const NetworkNode& node;
  std::vector<Product> products;
  std::vector<Layer> layers;      ///< by product
  std::vector<std::int64_t> ids;  ///< by product; -1 for one without work, or whose layer is not added yet
};

/// Tells the layers of a workload where their data come from, node by node: which layer or pass-through
/// node computes each tensor, and by which edges a layer waits for it. Adds the nodes between layers.
/// Borrows the network and the workload that is made.
class DataFlow {
 public:
  static constexpr std::int64_t none = -1;

  virtual ~DataFlow() = default;

  /// The layer or pass-through node whose data an input of a node is; none for one that is left out or lies
  /// ready: weights, what follows from them, and inputs of the network.
  std::int64_t source(const NetworkNode& node, std::size_t input) const;
  /// Tells for each input if it has a source.
  std::vector<bool> carried(const NetworkNode& node) const;

  /// Gives the operands of layers[i] their sources. Layers before it are added. Throws NodeProblem when the
  /// shape of an operand is unknown.
  virtual void connect(NodeProducts& of_node, std::size_t i) = 0;
  /// The layers of a node are added: its outputs are theirs.
  virtual void set_results(const NodeProducts& of_node) = 0;

  /// The same for work on elements, whose only layer has the id `layer`.
  virtual void connect(const NetworkNode& node, VectorLayer& made) = 0;
  virtual void set_results(const NetworkNode& node, std::int64_t layer) = 0;

  /// Adds a node without cost.
  virtual void add_pass_through(const NetworkNode& node) = 0;

 protected:
  DataFlow(const Network& network, WorkloadBuilder& made)
      : network_(network), made_(made), producers_(network.tensors.size(), none) {}

  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }
  void set(const NetworkNode& node, std::size_t output, std::int64_t id);

  const Network& network_;
  WorkloadBuilder& made_;

 private:
  virtual bool lies_ready(const Tensor& tensor) const = 0;

  std::vector<std::int64_t> producers_;  // by tensor
};

/// For one core: a layer waits for whole tensors, so edges say all. A pass-through node has all outputs of
/// its operator.
std::unique_ptr<DataFlow> flow_of_tensors(const Network& network, WorkloadBuilder& made);

/// For several cores: which element comes from which. A pass-through node has one output and says what it
/// does to the places of elements; an operand that reads a tensor in another order, or several tensors, has
/// one of its own before it. Says how many elements of an operand lie off chip from the start.
std::unique_ptr<DataFlow> flow_of_elements(const Network& network, WorkloadBuilder& made);

}  // namespace zz::core::onnx_import
