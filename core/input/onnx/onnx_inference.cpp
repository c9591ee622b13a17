#include "core/input/onnx/onnx_inference.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/input/onnx/infer_shapes.hpp"

namespace zz::core::onnx_import {
namespace {

/// Every ONNX library that zz is built with knows this one; asking it would mean loading it.
constexpr std::int64_t known_by_all = 15;

/// Shapes follow from small constants at most; weights need not be carried over.
constexpr std::size_t largest_constant = 64 * 1024;

/// In the library folder of the program, or of the build tree.
std::string inference_library() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto installed = program / ZZ_LIBRARY_FOLDER / ZZ_INFERENCE_LIBRARY;
  return std::filesystem::exists(installed) ? installed : program / "../lib" / ZZ_INFERENCE_LIBRARY;
}

template <class Function>
Function* from_library(const char* symbol) {
  // Never unloaded, since protobuf cannot be.
  static void* const library = dlopen(inference_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const address = library != nullptr ? dlsym(library, symbol) : nullptr;
  if (address == nullptr)
    throw std::runtime_error(std::string("the inference of shapes cannot be loaded: ") + dlerror());
  return reinterpret_cast<Function*>(address);
}

/// The model in the bytes of a file, without the data of large weights.
std::string bytes_without_weights(onnx::ModelProto& model) {
  std::vector<std::pair<onnx::TensorProto*, std::string>> laid_aside;
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.raw_data().size() <= largest_constant) continue;
    laid_aside.emplace_back(&tensor, std::move(*tensor.mutable_raw_data()));
    tensor.clear_raw_data();
  }
  std::string bytes = model.SerializeAsString();
  for (auto& [tensor, data] : laid_aside) tensor->set_raw_data(std::move(data));
  return bytes;
}

}  // namespace

std::string infer_shapes(onnx::ModelProto& model) {
  InferredShapes found;
  from_library<InferShapes>(infer_shapes_symbol)(bytes_without_weights(model), found);
  onnx::ModelProto inferred;
  inferred.ParseFromString(found.model);
  model.mutable_graph()->mutable_output()->Swap(inferred.mutable_graph()->mutable_output());
  model.mutable_graph()->mutable_value_info()->Swap(inferred.mutable_graph()->mutable_value_info());
  return found.failure;
}

bool can_infer(std::int64_t operator_set) {
  return operator_set <= known_by_all || operator_set <= newest_inferable_operator_set();
}

std::int64_t newest_inferable_operator_set() {
  static const std::int64_t newest = from_library<NewestOperatorSet>(newest_operator_set_symbol)();
  return newest;
}

}  // namespace zz::core::onnx_import
