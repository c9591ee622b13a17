#include "host/boundary/output.hpp"

#include "core/base/new_file.hpp"
#include "host/base/time_spent.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

zz_status write(zz_place*, zz_str path, const char* data, std::size_t size, zz_error* error) noexcept {
  try {
    write_whole_file(std::string(path.p, path.n), std::string_view(data, size));
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
