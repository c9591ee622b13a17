#pragma once

namespace zz::host {

/// True once the user has asked the run to stop. One relaxed load. [any]
bool cancel_requested();

/// What the first interrupt does; for tests. [any]
void request_cancel();
void reset_cancel();

/// From now on the first SIGINT or SIGTERM asks the run to stop after the current evaluation; a stage that
/// has not noticed after three seconds is named. The second ends the process at once, and says which stage
/// was running.
void install_interrupt_handler();

}  // namespace zz::host
