#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The extension "zz.answers/0": the answers of the run (core/answers), under keys of stages' own.
extern const zz_answers answers_table;

}  // namespace zz::host
