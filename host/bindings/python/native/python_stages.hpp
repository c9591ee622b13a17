#pragma once
#include <deque>
#include <map>
#include <memory>
#include <pybind11/pybind11.h>
#include <set>
#include <string>
#include <vector>

#include "core/value/value.hpp"
#include "zz/internal_tier.h"
#include "zz/stage_abi.h"

namespace zz::python {

namespace py = pybind11;

/// An object of Python that uses the chain below a stage, and no longer than the stage lives.
class UseOfChain {
 public:
  virtual void close() = 0;

 protected:
  ~UseOfChain() = default;
};

/// The place of a stage in its pipeline, shared with the Python object. A stage that ends closes what it
/// left open.
struct StagePlace {
  StagePlace(const zz_host* host, zz_place* place);

  const zz_host* host;
  zz_place* place;  ///< nullptr once the stage has been destroyed
  std::set<UseOfChain*> open{};

  void close_all();
  /// It, or a RuntimeError once the stage has been destroyed.
  zz_place* alive() const;
  /// Throws the exception of zz.errors for the last failure of the chain below within the current call of
  /// the stage, which is handed on as it is where the stage lets it pass.
  [[noreturn]] void throw_last_failure(zz_status code) const;
  /// The same for a function of the host that the stage called: where the stage lets it pass, it is a
  /// failure of the stage, with the line that called.
  [[noreturn]] void throw_refused(zz_status code, const std::string& message) const;

  // Values cross by the tables of the host that called, which may be one that checks the stage.
  core::Value value_in(const zz_value* handle) const;
  core::Value take(zz_value* handle) const;  ///< and releases it
  zz_value* give(const core::Value& value) const;
  void release(zz_value* handle) const { values_->release(handle); }

 private:
  const zz_internal* internal_;
  const zz_values* values_;
};

/// The results of one iteration of the chain below, pulled as Python iterates.
class Substage final : public UseOfChain {
 public:
  Substage(std::shared_ptr<StagePlace> place, const core::Value& context, std::uint32_t batch);
  ~Substage();
  Substage(const Substage&) = delete;
  Substage& operator=(const Substage&) = delete;

  /// The next (evaluation, extra); throws py::stop_iteration at the end, and an exception of zz.errors.
  py::tuple next();
  void close() override;

 private:
  void pull();

  std::shared_ptr<StagePlace> place_;
  std::uint32_t batch_;
  zz_stream stream_{};
  bool open_ = false;
  std::vector<zz_result> results_;
  std::uint32_t taken_ = 0, count_ = 0;
};

/// The functions of the boundary for a stage in Python: create, open, pull ... . They take the
/// interpreter's lock, and the class follows from the settings `file` and `stage`.
void set_functions(zz_stage_desc& stage);

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
  const zz_metric* metrics(const py::list& rows);
  const zz_port* ports(const py::list& rows);

  std::deque<std::string> texts_;
  std::deque<std::vector<zz_param>> settings_;
  std::deque<std::vector<zz_port>> ports_;
  std::deque<std::vector<zz_metric>> metrics_;
  std::deque<std::vector<const char*>> writes_;
  std::deque<zz_stage_desc> stages_;
  std::vector<const zz_stage_desc*> list_;
  zz_plugin plugin_{};
};

/// Stages that are classes of Python (zz/stages.py): the capsule `zz._zz.stage_files` is what the plugin
/// zz-python hands to the host, and `Substage` is what a stage's `substage()` returns.
void bind_stages(pybind11::module_& module);

}  // namespace zz::python
