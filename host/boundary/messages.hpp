#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// Tables by which stages speak: the extensions "zz.log/0", "zz.progress/0" and "zz.report/0", over the
/// log, the progress and the tables of the run that the calling thread works for. [any]
extern const zz_log log_table;
extern const zz_progress progress_table;
extern const zz_report report_table;

}  // namespace zz::host
