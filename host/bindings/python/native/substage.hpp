#pragma once
#include <memory>
#include <pybind11/pybind11.h>
#include <set>
#include <vector>

#include "core/value/value.hpp"
#include "zz/internal_tier.h"
#include "zz/stage_abi.h"

namespace zz::python {

namespace py = pybind11;

class Substage;

/// The place of a stage in its pipeline, shared with the Python object. A stage that ends closes what it
/// left open.
struct StagePlace {
  StagePlace(const zz_host* host, zz_place* place);

  const zz_host* host;
  zz_place* place;  ///< nullptr once the stage has been destroyed
  std::set<Substage*> open{};

  void close_all();

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
class Substage {
 public:
  Substage(std::shared_ptr<StagePlace> place, const core::Value& context, std::uint32_t batch);
  ~Substage();
  Substage(const Substage&) = delete;
  Substage& operator=(const Substage&) = delete;

  /// The next (evaluation, extra); throws py::stop_iteration at the end, and an exception of zz.errors.
  py::tuple next();
  void close();

 private:
  void pull();
  [[noreturn]] void fail(zz_status code);

  std::shared_ptr<StagePlace> place_;
  std::uint32_t batch_;
  zz_stream stream_{};
  bool open_ = false;
  std::vector<zz_result> results_;
  std::uint32_t taken_ = 0, count_ = 0;
};

}  // namespace zz::python
