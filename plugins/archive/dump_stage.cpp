#include "plugins/archive/dump_stage.hpp"

#include <string>

#include "plugins/archive/result_archive.hpp"

namespace zz::plugins {
namespace {

/// Says of an archive that was begun and is not finished that it is not there.
class LossReport {
 public:
  LossReport(const Stage& stage, const ResultArchive& archive, std::string path)
      : stage_(stage), archive_(archive), path_(std::move(path)) {}
  LossReport(const LossReport&) = delete;
  LossReport& operator=(const LossReport&) = delete;
  ~LossReport() {
    if (finished || archive_.results() == 0) return;
    stage_.log(Level::warning, "'" + path_ + "' is not written: not all of its results came; " +
                                   std::to_string(archive_.results()) + " had passed");
  }
  bool finished = false;

 private:
  const Stage& stage_;
  const ResultArchive& archive_;
  std::string path_;
};

}  // namespace

Results DumpStage::run(Value ctx) {
  const std::string path = dump_path(ctx);
  ResultArchive archive(path);
  LossReport loss(*this, archive, path);
  for (Result& result : substage(ctx)) {
    archive.add(core_value(result.evaluation), core_value(result.extra));
    co_yield std::move(result);
  }
  archive.finish();
  loss.finished = true;
  count("results dumped", archive.results());
}

}  // namespace zz::plugins
