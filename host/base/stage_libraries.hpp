#pragma once

namespace zz::host {

/// Says, during its own life time, that a stage of this label has its code in the library around `anchor`.
/// Both pointers live longer. [any]
class StageInLibrary {
 public:
  StageInLibrary(const char* label, const void* anchor);
  ~StageInLibrary();
  StageInLibrary(const StageInLibrary&) = delete;
  StageInLibrary& operator=(const StageInLibrary&) = delete;

 private:
  friend const char* stage_of_frames(void* const* frames, int count);
  const char* label_;
  const void* library_;  ///< where it is loaded; nullptr: in none
  StageInLibrary *before_ = nullptr, *after_ = nullptr;
};

/// The label of the stage whose library this thread runs a function of: for threads that a stage has
/// started, on which the host calls nothing. The labels of all that are possible, with "or" between them;
/// nullptr when there is none. For crash handlers.
const char* stage_of_own_thread();

/// A chain of stages is there. [any]
bool has_stages();

/// From now on stage_of_own_thread() needs no memory. [main]
void prepare_stage_of_own_thread();

}  // namespace zz::host
