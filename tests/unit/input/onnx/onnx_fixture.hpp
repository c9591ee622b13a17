#pragma once
#include <cstdint>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::test {

/// A file below the system's temporary folder that is deleted with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& suffix = ".onnx");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The mapping file with only a default entry that the recorded parsing results were made with.
core::MappingFile default_mapping();

/// Rules by which ONNX files are read as ZigZag does.
inline constexpr core::Rules zigzag_operators{.onnx_operators_of_zigzag = true};

/// Writes the bytes, or the model, to a file and reads it as a workload, by default as ZigZag does.
core::Workload read_bytes(const std::string& bytes, const core::Rules& rules = zigzag_operators,
                          core::Diagnostics* diagnostics = nullptr,
                          const core::OnnxSettings& settings = {});
core::Workload read_model(const onnx::ModelProto& model, const core::Rules& rules = zigzag_operators,
                          core::Diagnostics* diagnostics = nullptr,
                          const core::OnnxSettings& settings = {});

/// The message with which reading fails, or "" when it does not.
std::string failure_of(const onnx::ModelProto& model, const core::Rules& rules = zigzag_operators,
                       const core::OnnxSettings& settings = {});
std::string failure_of_file(const std::string& path, const core::Rules& rules = zigzag_operators,
                            const core::OnnxSettings& settings = {});

/// All warnings of a reading, one a line.
std::string warnings_of(const core::Diagnostics& diagnostics);

/// Parts of models.
onnx::ModelProto empty_model(std::int64_t operator_set = 13);
void add_input(onnx::ModelProto& model, const std::string& name, const std::vector<std::int64_t>& shape);
/// The file says that the tensor has that shape.
void state(onnx::ModelProto& model, const std::string& name, const std::vector<std::int64_t>& shape);
onnx::NodeProto& add_node(onnx::GraphProto& graph, const std::string& type,
                          const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
/// A node with one result in the model's graph.
onnx::NodeProto& put(onnx::ModelProto& model, const std::string& type,
                     const std::vector<std::string>& inputs, const std::string& output);
/// Cast to float32.
void put_cast(onnx::ModelProto& model, const std::string& input, const std::string& output);
void set_integers(onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values);
void set_integer(onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set_text(onnx::NodeProto& node, const std::string& name, const std::string& text);
/// An input of the network; a length of 0 has a name instead: "axis0", "axis1", ...
void add_typed_input(onnx::ModelProto& model, const std::string& name, core::onnx_import::ElementType type,
                     const core::onnx_import::Shape& shape);
/// An initialiser whose data the file does not have.
void add_weight(onnx::ModelProto& model, const std::string& name, core::onnx_import::ElementType type,
                const core::onnx_import::Shape& shape);
/// A number, or a list of them, as an initialiser of float32.
void add_numbers(onnx::ModelProto& model, const std::string& name, const std::vector<float>& numbers,
                 const core::onnx_import::Shape& shape = {});

/// All that is known of the model. Throws InputError.
core::onnx_import::Network evaluated(const onnx::ModelProto& model,
                                     const core::onnx_import::Dimensions& dimensions = {},
                                     const core::onnx_import::InputValues& values = {});
const core::onnx_import::Tensor& tensor(const core::onnx_import::Network& network, const std::string& name);
std::int64_t all_macs(const core::onnx_import::Network& network);

}  // namespace zz::test
