#pragma once
#include "host/command_line/exit_code.hpp"

namespace zz::host {

/// From now on end_from_handler prints on stdout what programs read. [main]
void give_last_words_as_json();

/// For signal handlers: ends the process. Unfinished files are deleted; with give_last_words_as_json()
/// {"errors", "exit_status"} is printed with `message` and the stage that the thread is in.
[[noreturn]] void end_from_handler(ExitCode code, const char* message);

}  // namespace zz::host
