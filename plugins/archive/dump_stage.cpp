#include "plugins/archive/dump_stage.hpp"

#include "plugins/archive/result_archive.hpp"

namespace zz::plugins {

Results DumpStage::run(Value ctx) {
  ResultArchive archive(dump_path(ctx));
  for (Result& result : substage(ctx)) {
    archive.add(core_value(result.evaluation), core_value(result.extra));
    co_yield std::move(result);
  }
  archive.finish();
  count("results dumped", archive.results());
}

}  // namespace zz::plugins
