#pragma once
#include <deque>
#include <map>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "zz/stage_abi.h"

namespace zz::python {

namespace py = pybind11;

/// A plugin whose stages are the classes in one file, with everything that its tables point at. It is never
/// destroyed, as nothing of a plugin is.
class StageTables {
 public:
  /// `classes`: what zz.stage._load() returned, a list of descriptions.
  StageTables(const std::string& file, const py::list& classes);
  StageTables(const StageTables&) = delete;
  StageTables& operator=(const StageTables&) = delete;

  const zz_plugin* plugin() const { return &plugin_; }

 private:
  void add_stage(const py::dict& description);
  const char* text(const py::handle& words);  ///< a copy that stays; nullptr for None
  const zz_param* settings(const py::list& rows);
  const zz_port* ports(const py::list& rows);

  std::deque<std::string> texts_;
  std::deque<std::vector<zz_param>> settings_;
  std::deque<std::vector<zz_port>> ports_;
  std::deque<std::vector<const char*>> writes_;
  std::deque<zz_stage_desc> stages_;
  std::vector<const zz_stage_desc*> list_;
  zz_plugin plugin_{};
};

}  // namespace zz::python
