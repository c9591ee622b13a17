#include "core/input/onnx/onnx_model.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>

#include "core/input/onnx/onnx_inference.hpp"

namespace zz::core::onnx_import {
namespace {

// Protobuf counts the bytes of a message in a signed 32-bit integer.
constexpr std::uintmax_t largest_file = (std::uintmax_t{1} << 31) - 1;

constexpr int read_at_once = 64 * 1024;

/// A network without weights takes some hundred kilobytes.
google::protobuf::ArenaOptions arena_options() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 64 * 1024;
  options.max_block_size = 1024 * 1024;
  return options;
}

[[noreturn]] void refuse(const std::string& path, std::string message, std::string hint = "") {
  throw InputError({Diagnostic{Severity::error, SourceMark{path}, std::move(message), std::move(hint)}});
}

void check_file(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) refuse(path, "there is no such file");
  if (std::filesystem::is_directory(status)) refuse(path, "this is a folder; an ONNX file is expected");
  if (!std::filesystem::is_regular_file(status)) return;
  const auto size = std::filesystem::file_size(path, failure);
  if (failure) return;
  if (size == 0) refuse(path, "the file is empty");
  if (size > largest_file) {
    refuse(path, fmt::format("the file has {} bytes; protobuf reads at most 2 GiB", size),
           "save the model with its weights as external data (they are not needed here)");
  }
}

// Every ONNX writer begins with the field ir_version (number 1, a varint), whose tag is the byte 8.
bool begins_like_onnx(const std::string& path) { return std::ifstream(path, std::ios::binary).get() == 8; }

bool parse(const std::string& path, onnx::ModelProto& model) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, "the file cannot be opened for reading");
  google::protobuf::LogSilencer quiet;
  google::protobuf::io::FileInputStream stream(file, read_at_once);
  stream.SetCloseOnDelete(true);
  google::protobuf::io::CodedInputStream input(&stream);
  input.SetTotalBytesLimit(static_cast<int>(largest_file));
  return model.ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

bool is_standard_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

void check_operator_set(const std::string& path, const onnx::ModelProto& model, Diagnostics& diagnostics) {
  const std::int64_t version = standard_operator_set(model);
  if (version == 0) {
    refuse(path, "the model declares no standard operator set (opset_import)",
           "the file is incomplete, or its writer does not follow the ONNX standard");
  }
  if (version < 1 || version > newest_operator_set) {
    refuse(path, fmt::format("unknown operator set version {}", version),
           fmt::format("versions 1 to {} are known; export the model with opset version {} or lower",
                       newest_operator_set, newest_inferable_operator_set()));
  }
  if (!can_infer(version)) {
    diagnostics.warning(
        SourceMark{path},
        fmt::format("operator set {} is newer than the ONNX library's {}: shapes are not inferred", version,
                    newest_inferable_operator_set()),
        "shapes that the file carries are used");
  }
}

}  // namespace

LoadedModel::LoadedModel()
    : memory_(std::make_unique<google::protobuf::Arena>(arena_options())),
      model_(google::protobuf::Arena::CreateMessage<onnx::ModelProto>(memory_.get())) {}

std::int64_t standard_operator_set(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    if (is_standard_domain(import.domain())) return import.version();
  }
  return 0;
}

LoadedModel load_model(const std::string& path, Diagnostics& diagnostics) {
  check_file(path);
  LoadedModel model;
  const bool complete = parse(path, *model);
  if (!complete && begins_like_onnx(path)) {
    refuse(path, "the ONNX file is truncated or damaged", "copy or export the model again");
  }
  if (!complete || !(model->has_ir_version() || model->has_graph())) {
    refuse(path, "this is not an ONNX file",
           "expected is a model as written by onnx.save or torch.onnx.export");
  }
  if (!model->has_graph()) {
    refuse(path, "the model holds no graph", "the file is truncated or damaged, or was never finished");
  }
  check_operator_set(path, *model, diagnostics);
  if (model->graph().node().empty()) refuse(path, "the graph of the model has no nodes");
  return model;
}

}  // namespace zz::core::onnx_import
