#include "host/boundary/output.hpp"

#include <fmt/format.h>

#include "core/base/new_file.hpp"
#include "host/base/run.hpp"
#include "host/base/time_spent.hpp"
#include "host/chain/place.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

zz_status write(zz_place* at, zz_str path, const char* data, std::size_t size, zz_error* error) noexcept {
  try {
    const std::string file(path.p, path.n);
    write_whole_file(file, std::string_view(data, size));
    if (!current_run().written.add(file, at != nullptr ? at->label : ""))
      log(LogLevel::warning,
          fmt::format("{}: '{}' is written again; what this run wrote there before is lost",
                      at != nullptr ? at->name : "a stage", file));
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view content) {
  const Charge charge("result files");
  core::NewFile::write_whole(path, content);
}

const zz_output output_table{sizeof(zz_output), write};

}  // namespace zz::host
