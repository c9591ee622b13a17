#include "plugins/archive/dump_stage.hpp"

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "plugins/archive/result_archive.hpp"

namespace zz::plugins {
namespace {

/// "out/all.zz" -> "out/all.incomplete.zz"
std::string incomplete_path(const std::string& path) {
  std::filesystem::path name(path);
  const std::string extension = name.extension().string();
  return name.replace_extension(".incomplete" + extension).string();
}

/// Of results that do not come to an end those that passed are kept, under a name that nobody takes for all
/// of them.
class KeptPart {
 public:
  KeptPart(const Stage& stage, ResultArchive& archive, const std::string& path)
      : stage_(stage), archive_(archive), path_(path), kept_(incomplete_path(path)) {}
  KeptPart(const KeptPart&) = delete;
  KeptPart& operator=(const KeptPart&) = delete;
  ~KeptPart() {
    if (whole_ || archive_.results() == 0) return;
    const std::string what = "'" + path_ + "' is not written: not all of its results came; ";
    const std::string passed = std::to_string(archive_.results());
    try {
      archive_.finish_as(kept_);
      stage_.log(Level::warning, what + "the " + passed + " that had passed are in '" + kept_ + "'");
    } catch (const std::exception& problem) {
      stage_.log(Level::warning, what + passed + " had passed, and are lost: " + problem.what());
    }
  }

  /// The archive is finished: what an earlier run left is out of date.
  void drop() {
    whole_ = true;
    std::error_code none;
    std::filesystem::remove(kept_, none);
  }

 private:
  const Stage& stage_;
  ResultArchive& archive_;
  std::string path_, kept_;
  bool whole_ = false;
};

}  // namespace

Results DumpStage::run(Value ctx) {
  const std::string path = dump_path(ctx);
  ResultArchive archive(path);
  KeptPart part(*this, archive, path);
  for (Result& result : substage(ctx)) {
    archive.add(core_value(result.evaluation), core_value(result.extra));
    co_yield std::move(result);
  }
  archive.finish();
  part.drop();
  count("results dumped", archive.results());
}

}  // namespace zz::plugins
