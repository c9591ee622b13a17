#pragma once
#include <memory>
#include <string>

#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/compatibility.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/warnings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// What the stages that read a network have in common: their settings, and handing it down.
class NetworkParserStage : public Stage {
 public:
  std::string workload;
  std::string mapping;
  std::string compat;
  static constexpr Port provides[] = {zz::object(
      "workload", "workload", "the network: layers, pass-through operators and data-flow edges")};

 protected:
  static constexpr const char* onnx_aliases = "onnx_model_path|workload_path|onnx_model";
  static constexpr const char* yaml_aliases = "workload_path";
  static constexpr auto settings(const char* workload_doc, const char* workload_aliases,
                                 const char* mapping_doc) {
    return zz::params(param<&NetworkParserStage::workload>("workload", workload_doc)
                          .required()
                          .input_path()
                          .alias(workload_aliases),
                      param<&NetworkParserStage::mapping>("mapping", mapping_doc)
                          .required()
                          .input_path()
                          .alias("mapping_path"),
                      param<&NetworkParserStage::compat>("compat", compat_doc).allowed(compat_allowed));
  }

  /// The context for below: with the network, which `read(path, entries, diagnostics)` reads after the
  /// mapping file.
  template <class Read>
  Value with_network(const Value& ctx, Read read) const {
    core::Diagnostics diagnostics;
    const core::MappingFile entries = core::read_mapping(mapping, diagnostics);
    const auto network = std::make_shared<const core::Workload>(read(workload, entries, diagnostics));
    log_warnings(*this, diagnostics);
    return with(ctx, {{"workload"_n, wrap(network)}});
  }
};

}  // namespace zz::plugins
