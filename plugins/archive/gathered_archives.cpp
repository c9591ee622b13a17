#include "plugins/archive/gathered_archives.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include "core/workload/layer.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// "out/all.zz" -> "out/all.incomplete.zz"
std::string incomplete_path(const std::string& path) {
  std::filesystem::path name(path);
  const std::string extension = name.extension().string();
  return name.replace_extension(".incomplete" + extension).string();
}

std::string not_all_came(const std::string& path) {
  return "'" + path + "' is not written: not all of its results came; ";
}

void remove_file(const std::string& path) {
  std::error_code none;
  std::filesystem::remove(path, none);
}

}  // namespace

GatheredArchives::Opening::Opening(GatheredArchives& archives, const Stage& stage, std::string path,
                                   const Value& context)
    : archives_(archives), stage_(stage), path_(std::move(path)) {
  const Ref part = context["layer"_n];
  if (const core::Layer* layer = part.is_null() ? nullptr : borrowed<core::Layer>(part)) layer_ = layer->id;
  const std::lock_guard lock(archives_.mutex_);
  Archive& archive = archives_.archives_[path_];
  if (archive.begun) return;
  writer_.emplace(path_);
  archive.begun = true;
  archive.layer = layer_;
}

void GatheredArchives::Opening::add(const core::Value& evaluation, const core::Value& extra) {
  if (writer_)
    writer_->add(evaluation, extra);
  else
    waiting_.emplace_back(evaluation, extra);
}

void GatheredArchives::Opening::finish() {
  if (writer_) {
    writer_->finish();
    remove_file(incomplete_path(path_));  // rests of an earlier run are out of date
  }
  const std::lock_guard lock(archives_.mutex_);
  Archive& archive = archives_.archives_[path_];
  if (writer_)
    archive.file = path_;
  else if (!waiting_.empty())
    archive.waiting.push_back({layer_, std::move(waiting_)});
  finished_ = true;
}

void GatheredArchives::Opening::keep_part() noexcept {
  const std::string kept = incomplete_path(path_);
  const std::string passed = std::to_string(results());
  try {
    if (writer_ && results() > 0) {
      writer_->finish_as(kept);
      stage_.log(Level::warning,
                 not_all_came(path_) + "the " + passed + " that had passed are in '" + kept + "'");
    }
    const std::lock_guard lock(archives_.mutex_);
    Archive& archive = archives_.archives_[path_];
    if (writer_ && results() == 0) archive.begun = false;
    if (results() == 0) return;
    archive.whole = false;
    if (writer_)
      archive.file = kept;
    else
      archive.waiting.push_back({layer_, std::move(waiting_)});
  } catch (const std::exception& problem) {
    stage_.log(Level::warning,
               not_all_came(path_) + passed + " had passed, and are lost: " + problem.what());
  }
}

GatheredArchives::Opening::~Opening() {
  if (!finished_) keep_part();
}

void GatheredArchives::close(const Stage& stage) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [path, archive] : archives_) {
    if (archive.waiting.empty()) continue;
    try {
      add_what_waits(stage, path, archive);
    } catch (const std::exception& problem) {
      stage.log(Level::error, problem.what());
    }
  }
}

void GatheredArchives::add_what_waits(const Stage& stage, const std::string& path, Archive& archive) {
  std::stable_sort(archive.waiting.begin(), archive.waiting.end(),
                   [](const Part& a, const Part& b) { return a.layer < b.layer; });
  const std::string target = archive.whole ? path : incomplete_path(path);
  ResultArchive all(target);
  auto part = archive.waiting.begin();
  const auto add_parts = [&](auto end) {
    for (; part != end; ++part)
      for (const auto& [evaluation, extra] : part->results) all.add(evaluation, extra);
  };
  add_parts(std::find_if(part, archive.waiting.end(),
                         [&](const Part& one) { return one.layer >= archive.layer; }));
  if (!archive.file.empty()) {
    core::ArchiveReader first(archive.file, core::ArchiveReader::As::objects);
    core::Value evaluation, extra;
    while (first.next(evaluation, extra)) all.add(evaluation, extra);
  }
  add_parts(archive.waiting.end());
  archive.waiting.clear();
  all.finish();
  if (archive.whole) return;
  if (archive.file == path) remove_file(path);
  stage.log(Level::warning, not_all_came(path) + "the " + std::to_string(all.results()) +
                                " that had passed are in '" + target + "'");
}

}  // namespace zz::plugins
