#include "core/input/onnx/onnx_workload.hpp"

#include <filesystem>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/network_workload.hpp"
#include "core/input/onnx/zigzag_workload.hpp"

namespace zz::core {
namespace {

Workload read_by_rules(const std::string& path, const MappingFile& mapping, const Rules& rules,
                       Diagnostics& diagnostics, const OnnxSettings& settings, const Files& files) {
  const SourceMark mark{path};
  const onnx_import::OnnxReading reading{mapping, settings, rules, mark, diagnostics};
  if (!rules.onnx_operators_of_zigzag)
    return onnx_import::workload_of(
        onnx_import::read_network(path, settings.dimensions, diagnostics, settings.read_operator, files),
        reading);
  if (!settings.dimensions.empty())
    diagnostics.warning(mark, "`dimensions` has no effect with `compat`",
                        "as in ZigZag, an open batch size is 1, and other lengths must be in the file");
  return onnx_import::zigzag_workload_of(onnx_import::read_as_zigzag(path, diagnostics, files), reading);
}

}  // namespace

Workload read_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                   Diagnostics& diagnostics, const OnnxSettings& settings, const Files& files) {
  Workload workload = read_by_rules(path, mapping, rules, diagnostics, settings, files);
  if (workload.layers.empty() && !diagnostics.has_errors()) {
    if (rules.onnx_operators_of_zigzag)
      diagnostics.error(SourceMark{path}, "the network has no operator that can be mapped",
                        "mapped are Conv, QLinearConv, MatMul and Gemm");
    else
      diagnostics.error(SourceMark{path}, "the network has no operator that multiplies and accumulates",
                        "such are Conv, Gemm, MatMul and others (docs/networks.md)");
  }
  diagnostics.throw_if_errors();
  workload.name = std::filesystem::path(path).stem().string();
  return workload;
}

}  // namespace zz::core
