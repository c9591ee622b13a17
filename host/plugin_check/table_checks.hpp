#pragma once
#include "host/plugin_check/notes.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// What the table of a stage holds, beyond what the loader refuses: the rules T1, T4, S4 and S6. Calls no
/// function of the plugin. `abi_minor` is the one that the plugin was built for.
void check_stage_table(const zz_stage_desc& stage, std::uint16_t abi_minor, Notes& notes);

/// The names of the stages of a plugin are its own, each once: the rule T4.
void check_stage_names(const zz_plugin& plugin, Notes& notes);

}  // namespace zz::host
