#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/input/onnx/mapping_use.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/workload/layer_precision.hpp"
#include "core/workload/narrow_sums.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The base of the stages that read a network. It has their settings, reads, and hands the network down.
class NetworkParserStage : public Stage, public CompatSetting, public PrecisionSetting {
 public:
  std::string workload;
  std::string mapping;
  std::optional<std::int64_t> batch;
  void prepare() { precision_choice(); }
  static constexpr Port provides[] = {zz::object(
      "workload", "workload", "the network: layers, pass-through operators and data-flow edges")};

 protected:
  static constexpr const char* onnx_aliases = "onnx_model_path|workload_path|onnx_model";
  static constexpr const char* yaml_aliases = "workload_path";
  template <class... More>
  static constexpr auto settings(const char* workload_doc, const char* workload_aliases,
                                 const char* mapping_doc, const More&... more) {
    return zz::params(
        param<&NetworkParserStage::workload>("workload", workload_doc)
            .required()
            .input_path()
            .alias(workload_aliases),
        param<&NetworkParserStage::mapping>("mapping", mapping_doc)
            .required()
            .input_path()
            .alias("mapping_path"),
        more...,
        param<&NetworkParserStage::batch>(
            "batch",
            "elements of the batch: the first axis of the inputs of an ONNX file, the loop B of the "
            "layers of a YAML file; without it what the file says")
            .allowed("[1, inf]"),
        precision_setting, compat_setting);
  }

  /// A network of a YAML file with the batch that is set.
  core::Workload with_batch(core::Workload network) const {
    if (batch) core::set_batch(network, *batch);
    return network;
  }

  /// The results from below with the network that `read` reads, once the mapping file is read. `precision`
  /// does not count for the operands in `named`.
  using ReadNetwork =
      std::function<core::Workload(const std::string& path, const core::MappingFile& mapping,
                                   const core::Rules& rules, core::Diagnostics& diagnostics)>;
  Results run_with(ReadNetwork read, Value ctx, std::vector<std::string> named = {}) {
    core::Diagnostics diagnostics;
    const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
    auto network = std::make_shared<core::Workload>(read(workload, entries, rules(), diagnostics));
    const core::PrecisionChoice choice = precision_choice();
    for (auto& layer : network->layers) {
      if (choice.kind == core::PrecisionChoice::Kind::units) break;
      auto chosen = std::make_shared<core::Layer>(*layer);
      core::choose_precision(*chosen, choice, named);
      layer = std::move(chosen);
    }
    core::warn_of_unused_mapping(entries, {mapping}, *network, diagnostics);
    core::warn_of_narrow_sums(*network, {workload}, diagnostics);
    log_warnings(*this, diagnostics);
    const Value below =
        with(ctx, {{"workload"_n, wrap(std::shared_ptr<const core::Workload>(std::move(network)))}});
    for (Result& result : substage(below)) co_yield std::move(result);
  }
};

}  // namespace zz::plugins
