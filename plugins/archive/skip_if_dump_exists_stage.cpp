#include "plugins/archive/skip_if_dump_exists_stage.hpp"

#include <filesystem>

#include "core/output/archive/archive_reader.hpp"
#include "plugins/internal/internal_tier.hpp"

namespace zz::plugins {
namespace {

Value wrapped(const core::Value& value) { return Value::take(internal_tier().wrap(&value)); }

}  // namespace

Results SkipIfDumpExistsStage::run(Value ctx) {
  const std::string path = dump_path(ctx);
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) {
    for (Result& result : substage(ctx)) co_yield std::move(result);
    co_return;
  }
  count("dumps that were there");
  if (!yield_dumped || !core::is_archive(path)) {
    log(Level::warning, "'" + path +
                            "' is there: the stages below are left out, and there are no results of " +
                            "theirs" + (yield_dumped ? ", as the file is no archive" : ""));
    co_return;
  }
  log(Level::info, "'" + path + "' is there: its results are taken instead of running the stages below");
  core::ArchiveReader reader(path, core::ArchiveReader::As::objects, files_of_run());
  core::Value evaluation, extra;
  while (reader.next(evaluation, extra)) co_yield Result(wrapped(evaluation), wrapped(extra));
}

}  // namespace zz::plugins
