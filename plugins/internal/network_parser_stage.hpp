#pragma once
#include <memory>
#include <string>

#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/ahead.hpp"
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

  /// Says how a network is read: the mapping file first, then the network with `read(path, entries,
  /// diagnostics)`. In `prepare`.
  template <class Read>
  void begin(Read read) {
    files_.begin([this, read] {
      Files files;
      const core::MappingFile entries = core::read_mapping(mapping, files.diagnostics);
      files.network = std::make_shared<const core::Workload>(read(workload, entries, files.diagnostics));
      return files;
    });
  }
  /// The context for below.
  Value with_network(const Value& ctx) {
    const Files files = files_.get();
    log_warnings(*this, files.diagnostics);
    return with(ctx, {{"workload"_n, wrap(files.network)}});
  }

 private:
  struct Files {
    std::shared_ptr<const core::Workload> network;
    core::Diagnostics diagnostics;
  };
  ReadAhead<Files> files_;
};

}  // namespace zz::plugins
