#include "substage.hpp"

#include <stdexcept>
#include <string>

#include "host/chain/failure.hpp"

#include "value_view.hpp"

namespace zz::python {

StagePlace::StagePlace(const zz_host* its_host, zz_place* its_place)
    : host(its_host),
      place(its_place),
      internal_(static_cast<const zz_internal*>(
          its_host->get_extension((ZZ_INTERNAL + std::string(its_host->build)).c_str()))),
      values_(static_cast<const zz_values*>(its_host->get_extension(ZZ_VALUES))) {
  if (internal_ == nullptr) throw std::runtime_error("the Python package belongs to another build of zz");
}

core::Value StagePlace::value_in(const zz_value* handle) const {
  return handle == nullptr ? core::Value() : *static_cast<const core::Value*>(internal_->value(handle));
}

core::Value StagePlace::take(zz_value* handle) const {
  core::Value value = value_in(handle);
  values_->release(handle);
  return value;
}

zz_value* StagePlace::give(const core::Value& value) const { return internal_->wrap(&value); }

void StagePlace::close_all() {
  while (!open.empty()) (*open.begin())->close();
  place = nullptr;
}

Substage::Substage(std::shared_ptr<StagePlace> place, const core::Value& context, std::uint32_t batch)
    : place_(std::move(place)), batch_(batch), results_(batch) {
  if (place_->place == nullptr) throw std::runtime_error("the run of this stage has ended");
  zz_status code = ZZ_OK;
  {
    const py::gil_scoped_release released;
    zz_value* const handle = place_->give(context);
    code = place_->host->open(place_->place, handle, &stream_, nullptr);
    place_->release(handle);
  }
  if (code != ZZ_OK) fail(code);
  open_ = true;
  place_->open.insert(this);
}

Substage::~Substage() { close(); }

void Substage::close() {
  if (!open_) return;
  open_ = false;
  place_->open.erase(this);
  for (; taken_ < count_; ++taken_) {
    place_->release(results_[taken_].evaluation);
    place_->release(results_[taken_].extra);
  }
  const py::gil_scoped_release released;
  stream_.close(&stream_);
}

void Substage::pull() {
  zz_status code = ZZ_OK;
  taken_ = count_ = 0;
  {
    const py::gil_scoped_release released;
    code = stream_.pull(&stream_, results_.data(), batch_, &count_, nullptr);
  }
  if (code != ZZ_OK) fail(code);
}

py::tuple Substage::next() {
  if (!open_) throw py::stop_iteration();
  if (taken_ == count_) pull();
  if (count_ == 0) {
    close();
    throw py::stop_iteration();
  }
  const zz_result& result = results_[taken_++];
  return py::make_tuple(to_python(place_->take(result.evaluation)), to_python(place_->take(result.extra)));
}

void Substage::fail(zz_status code) {
  const core::Value failure = place_->take(place_->host->failure());
  const auto told = host::from_value(failure);
  const py::module_ errors = py::module_::import("zz.errors");
  const char* const name = code == ZZ_E_NO_RESULT   ? "NoResult"
                           : code == ZZ_E_CANCELLED ? "Cancelled"
                           : code == ZZ_E_INVALID   ? "InputError"
                                                    : "StageError";
  const py::object type = errors.attr(name);
  const py::object exception = type(told ? host::to_string(*told) : "the chain below failed", py::list(),
                                    told ? host::root_cause(*told).stage : "");
  exception.attr("_failure") = py::cast(failure);
  exception.attr("_code") = static_cast<int>(code);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

}  // namespace zz::python
