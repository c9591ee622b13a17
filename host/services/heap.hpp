#pragma once

namespace zz::host {

/// Pages that are given back to the system and fetched anew for the next batch or file cost a run more than
/// the arithmetic on them: what was freed is kept. [main, before any thread]
void keep_freed_memory();

/// Fetches the memory that every run needs in one call, in huge pages where the system has them. Page by
/// page, on first touch, it takes several times as long. Only speed depends on it. [main, before any
/// thread]
void fetch_usual_memory();

}  // namespace zz::host
