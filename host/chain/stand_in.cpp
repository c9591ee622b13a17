#include "host/chain/stand_in.hpp"

#include <utility>

namespace zz::host {
namespace {

zz_status create(const zz_host*, zz_ref, zz_place*, zz_stage** out, zz_error*) noexcept {
  static char nothing;
  *out = reinterpret_cast<zz_stage*>(&nothing);
  return ZZ_OK;
}
void destroy(zz_stage*) noexcept {}
zz_status open(zz_stage*, zz_value*, zz_stream*, zz_error*) noexcept { return ZZ_E_UNSUPPORTED; }

constexpr zz_port anything{"*", ZZ_NULL, ZZ_OPTIONAL, nullptr, nullptr, nullptr};
constexpr const char* every_metric[] = {"*"};

}  // namespace

StandIn::StandIn(const StageEntry& entry, std::string files, bool last, bool in_file, const zz_host& host)
    : stages_{&stage_}, plugin_{std::move(files), &table_, &host, true} {
  for (const WrittenSetting& setting : entry.settings) {
    zz_param& one = settings_.emplace_back();
    one.name = names_.emplace_back(setting.name).c_str();
    const bool path = in_file && setting.name == "file";
    one.kind = path ? ZZ_STR : ZZ_NULL;
    one.flags = path ? ZZ_INPUT_PATH : 0;
  }
  stage_.size = sizeof stage_;
  stage_.flags = last ? ZZ_STAGE_LEAF : 0;
  stage_.id = stage_.name = names_.emplace_back(entry.name).c_str();
  stage_.params = settings_.data();
  stage_.n_params = static_cast<std::uint32_t>(settings_.size());
  stage_.provides = &anything;
  stage_.n_provides = 1;
  stage_.writes = every_metric;
  stage_.n_writes = 1;
  stage_.create = create;
  stage_.destroy = destroy;
  stage_.open = open;
  table_.size = sizeof table_;
  table_.abi_major = ZZ_ABI_MAJOR;
  table_.abi_minor = ZZ_ABI_MINOR;
  table_.id = table_.version = "";
  table_.stages = stages_;
  table_.n_stages = 1;
}

}  // namespace zz::host
