#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/compat/rules.hpp"
#include "core/input/onnx/mapping_use.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The base of the stages that read a network. It has their settings, reads, and hands the network down.
class NetworkParserStage : public Stage, public CompatSetting {
 public:
  std::string workload;
  std::string mapping;
  static constexpr Port provides[] = {zz::object(
      "workload", "workload", "the network: layers, pass-through operators and data-flow edges")};

 protected:
  static constexpr const char* onnx_aliases = "onnx_model_path|workload_path|onnx_model";
  static constexpr const char* yaml_aliases = "workload_path";
  template <class... More>
  static constexpr auto settings(const char* workload_doc, const char* workload_aliases,
                                 const char* mapping_doc, const More&... more) {
    return zz::params(param<&NetworkParserStage::workload>("workload", workload_doc)
                          .required()
                          .input_path()
                          .alias(workload_aliases),
                      param<&NetworkParserStage::mapping>("mapping", mapping_doc)
                          .required()
                          .input_path()
                          .alias("mapping_path"),
                      more..., compat_setting);
  }

  /// The results from below with the network that `read` reads, once the mapping file is read.
  using ReadNetwork =
      std::function<core::Workload(const std::string& path, const core::MappingFile& mapping,
                                   const core::Rules& rules, core::Diagnostics& diagnostics)>;
  Results run_with(ReadNetwork read, Value ctx) {
    core::Diagnostics diagnostics;
    const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
    auto network = std::make_shared<const core::Workload>(read(workload, entries, rules(), diagnostics));
    core::warn_of_unused_mapping(entries, {mapping}, *network, diagnostics);
    log_warnings(*this, diagnostics);
    const Value below = with(ctx, {{"workload"_n, wrap(std::move(network))}});
    for (Result& result : substage(below)) co_yield std::move(result);
  }
};

}  // namespace zz::plugins
