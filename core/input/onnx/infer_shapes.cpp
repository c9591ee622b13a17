#include "core/input/onnx/infer_shapes.hpp"

#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>
#include <unordered_map>

using zz::core::onnx_import::InferredShapes;

extern "C" void zz_infer_shapes(const std::string& model, InferredShapes& found) {
  constexpr bool check_types = false;
  constexpr int stop_at_first_failure = 0;
  constexpr bool follow_computed_shapes = true;
  google::protobuf::LogSilencer quiet;
  onnx::ModelProto whole;
  whole.ParseFromString(model);
  try {
    std::unordered_map<std::string, onnx::TensorShapeProto> computed_shapes;
    onnx::shape_inference::InferShapes(
        whole, onnx::OpSchemaRegistry::Instance(),
        onnx::ShapeInferenceOptions(check_types, stop_at_first_failure, follow_computed_shapes),
        &computed_shapes);
  } catch (const std::exception& failure) {
    found.failure = failure.what();
  }
  // What was inferred before a failure holds.
  onnx::ModelProto result;
  result.mutable_graph()->mutable_output()->Swap(whole.mutable_graph()->mutable_output());
  result.mutable_graph()->mutable_value_info()->Swap(whole.mutable_graph()->mutable_value_info());
  result.SerializeToString(&found.model);
}

extern "C" std::int64_t zz_newest_inferable_operator_set() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(onnx::ONNX_DOMAIN).second;
}
