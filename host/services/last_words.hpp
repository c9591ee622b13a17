#pragma once
#include "host/command_line/exit_code.hpp"

namespace zz::host {

/// From now on end_from_handler() prints a JSON document on stdout. [main]
void give_last_words_as_json();

/// For signal handlers: deletes unfinished files and ends the process. After give_last_words_as_json() it
/// prints {"errors", "exit_status"} with `message` and the stage of the thread.
[[noreturn]] void end_from_handler(ExitCode code, const char* message);

}  // namespace zz::host
