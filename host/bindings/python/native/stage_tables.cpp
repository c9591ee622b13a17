#include "stage_tables.hpp"

#include "stage_functions.hpp"

namespace zz::python {

StageTables::StageTables(const std::string& file, const py::list& classes) {
  for (const py::handle description : classes) add_stage(py::reinterpret_borrow<py::dict>(description));
  for (const zz_stage_desc& stage : stages_) list_.push_back(&stage);
  plugin_.size = sizeof plugin_;
  plugin_.abi_major = ZZ_ABI_MAJOR;
  plugin_.abi_minor = ZZ_ABI_MINOR;
  plugin_.id = text(py::str("python:" + file));
  plugin_.version = ZZ_VERSION;
  plugin_.vendor = "";
  plugin_.license = "";
  plugin_.stages = list_.data();
  plugin_.n_stages = static_cast<std::uint32_t>(list_.size());
}

void StageTables::add_stage(const py::dict& description) {
  zz_stage_desc& stage = stages_.emplace_back();
  stage.size = sizeof stage;
  stage.flags = description["flags"].cast<std::uint32_t>();
  stage.id = text(description["id"]);
  stage.name = text(description["name"]);
  stage.summary = text(description["summary"]);
  stage.doc = text(description["doc"]);
  const py::list rows = description["settings"], consumes = description["consumes"],
                 provides = description["provides"];
  stage.params = settings(rows);
  stage.n_params = static_cast<std::uint32_t>(rows.size());
  stage.consumes = ports(consumes);
  stage.n_consumes = static_cast<std::uint32_t>(consumes.size());
  stage.provides = ports(provides);
  stage.n_provides = static_cast<std::uint32_t>(provides.size());
  auto& writes = writes_.emplace_back();
  for (const py::handle metric : description["writes"]) writes.push_back(text(metric));
  stage.writes = writes.data();
  stage.n_writes = static_cast<std::uint32_t>(writes.size());
  set_functions(stage);
}

const char* StageTables::text(const py::handle& words) {
  return words.is_none() ? nullptr : texts_.emplace_back(words.cast<std::string>()).c_str();
}

const zz_param* StageTables::settings(const py::list& rows) {
  auto& table = settings_.emplace_back();
  for (const py::handle row : rows) {
    zz_param& setting = table.emplace_back();
    setting.name = text(row["name"]);
    setting.kind = row["kind"].cast<std::int32_t>();
    setting.flags = row["flags"].cast<std::uint32_t>();
    setting.def = text(row["default"]);
    setting.allowed = text(row["allowed"]);
    setting.unit = text(row["unit"]);
    setting.doc = text(row["doc"]);
  }
  return table.data();
}

const zz_port* StageTables::ports(const py::list& rows) {
  auto& table = ports_.emplace_back();
  for (const py::handle row : rows) {
    zz_port& port = table.emplace_back();
    port.key = text(row["key"]);
    port.kind = row["kind"].cast<std::int32_t>();
    port.flags = row["flags"].cast<std::uint32_t>();
    port.type = text(row["type"]);
    port.doc = text(row["doc"]);
  }
  return table.data();
}

}  // namespace zz::python
