#pragma once
#include <optional>
#include <string>

#include "core/cost/evaluation.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

inline constexpr const char* dump_folder_doc = "the folder for the files; made when it is not there";
inline constexpr const char* dump_filename_pattern_doc =
    "instead of dump_folder: a file name in which `?` becomes the name of the result";

/// Where a save stage puts its files: a folder, or a pattern in which "?" becomes the name of the result.
struct ResultFiles {
  std::optional<std::string> folder;
  std::optional<std::string> pattern;
  const char* kind;  ///< "complete": names end in "_complete"

  /// Throws when there is neither folder nor pattern.
  void require() const;
  /// "<folder>/<layer>_complete.json", of several cores "<folder>/schedule_complete.json", for sums
  /// "<folder>/overall_complete.json". Slashes in the name of the layer become "_".
  std::string path(const core::Evaluation& evaluation) const;
  /// The context for the chain below: the folder is known there too.
  Value context(const Value& ctx) const;
};

/// The evaluation of a result. Throws when it is something else.
std::shared_ptr<const core::Evaluation> saved_evaluation(const Result& result);

}  // namespace zz::plugins
