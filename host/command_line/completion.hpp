#pragma once
#include <string>

/// Completion scripts, made from the tables of verbs and options so that they cannot fall behind. They are
/// static: only the names of stages, settings and layers are asked for when somebody presses the tab key.
namespace zz::host {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace zz::host
