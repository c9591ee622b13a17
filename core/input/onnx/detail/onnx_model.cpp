#include "core/input/onnx/detail/onnx_model.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

namespace zz::core::onnx_import {
namespace {

// Protobuf counts the bytes of a message in a signed 32-bit integer. docs/limits.md names the limit.
constexpr std::uintmax_t largest_file = (std::uintmax_t{1} << 31) - 1;

[[noreturn]] void refuse(const std::string& path, std::string message, std::string hint = "") {
  throw InputError({Diagnostic{Severity::error, SourceMark{path}, std::move(message), std::move(hint)}});
}

void check_file(const std::string& path, const Files& files) {
  files.check(path, largest_file,
              "an ONNX file, with weights as external data (they are not needed here),");
  const std::string* const bytes = files.in_memory(path);
  std::error_code failure;
  const bool empty = bytes != nullptr ? bytes->empty() : std::filesystem::file_size(path, failure) == 0;
  if (empty) refuse(path, "the file is empty");
}

// Every ONNX writer begins with the field ir_version (number 1, a varint), whose tag is the byte 8.
bool begins_like_onnx(const std::string& path, const Files& files) {
  if (const std::string* const bytes = files.in_memory(path); bytes != nullptr)
    return bytes->starts_with('\x08');
  return std::ifstream(path, std::ios::binary).get() == 8;
}

bool parse(const std::string& path, const Files& files, onnx::ModelProto& model) {
  if (const std::string* const bytes = files.in_memory(path); bytes != nullptr) {
    google::protobuf::LogSilencer quiet;
    return model.ParseFromString(*bytes);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "the file cannot be opened for reading");
  google::protobuf::LogSilencer quiet;
  return model.ParseFromIstream(&file);
}

bool is_standard_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

void check_operator_set(const std::string& path, const onnx::ModelProto& model, Diagnostics& diagnostics) {
  const std::int64_t version = standard_operator_set(model);
  // A network of other domains alone, as those of traditional machine learning, needs none.
  const auto& nodes = model.graph().node();
  const bool standard = model.opset_import().empty() ||
                        std::any_of(nodes.begin(), nodes.end(),
                                    [](const auto& node) { return is_standard_domain(node.domain()); });
  if (version == 0 && !standard) return;
  if (version == 0) {
    refuse(path, "the model declares no standard operator set (opset_import)",
           "the file is incomplete, or its writer does not follow the ONNX standard");
  }
  if (version < 1) refuse(path, fmt::format("unknown operator set version {}", version));
  if (version > newest_operator_set) {
    diagnostics.warning(
        SourceMark{path},
        fmt::format("operator set {} is newer than {}, which is the newest that is known: operators "
                    "are read as they are there",
                    version, newest_operator_set));
  }
}

}  // namespace

std::int64_t newest_inferable_operator_set() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(onnx::ONNX_DOMAIN).second;
}

std::int64_t standard_operator_set(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    if (is_standard_domain(import.domain())) return import.version();
  }
  return 0;
}

onnx::ModelProto load_model(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  check_file(path, files);
  onnx::ModelProto model;
  const bool complete = parse(path, files, model);
  if (!complete && begins_like_onnx(path, files)) {
    refuse(path, "the ONNX file is truncated or damaged", "copy or export the model again");
  }
  if (!complete || !(model.has_ir_version() || model.has_graph())) {
    refuse(path, "this is not an ONNX file",
           "expected is a model as written by onnx.save or torch.onnx.export");
  }
  if (!model.has_graph()) {
    refuse(path, "the model holds no graph", "the file is truncated or damaged, or was never finished");
  }
  check_operator_set(path, model, diagnostics);
  if (model.graph().node().empty()) refuse(path, "the graph of the model has no nodes");
  return model;
}

}  // namespace zz::core::onnx_import
