#include "host/bindings/python/native/python_stages.hpp"

#include <cmath>
#include <memory>
#include <pybind11/stl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "host/bindings/python/native/failure.hpp"
#include "host/bindings/python/native/value_view.hpp"
#include "host/boundary/host_table.hpp"
#include "host/chain/failure.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"

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

zz_place* StagePlace::alive() const {
  if (place == nullptr) throw std::runtime_error("the run of this stage has ended");
  return place;
}

namespace {

[[noreturn]] void throw_exception(const py::object& type, const py::object& exception) {
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

py::object type_of(const zz::host::Failure& failure) {
  return py::module_::import("zz.errors").attr(exception_of(failure));
}

}  // namespace

void StagePlace::throw_last_failure(zz_status code) const {
  const core::Value failure = take(host->failure());
  const auto told = zz::host::from_value(failure);
  const py::object type = type_of(told ? *told : zz::host::Failure{.code = code});
  const py::object exception = type(told ? zz::host::to_string(*told) : "the chain below failed",
                                    py::list(), told ? zz::host::root_cause(*told).stage : "");
  exception.attr("_failure") = py::cast(failure);
  exception.attr("_code") = static_cast<int>(code);
  throw_exception(type, exception);
}

void StagePlace::throw_refused(zz_status code, const std::string& message) const {
  const auto told = zz::host::from_value(take(host->failure()));
  const py::object type = type_of(told && told->code == code ? *told : zz::host::Failure{.code = code});
  throw_exception(type, type(message));
}

Substage::Substage(std::shared_ptr<StagePlace> place, const core::Value& context, std::uint32_t batch)
    : place_(std::move(place)), batch_(batch), results_(batch) {
  zz_place* const at = place_->alive();
  zz_status code = ZZ_OK;
  {
    const py::gil_scoped_release released;
    zz_value* const handle = place_->give(context);
    code = place_->host->open(at, handle, &stream_, nullptr);
    place_->release(handle);
  }
  if (code != ZZ_OK) place_->throw_last_failure(code);
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
  if (code != ZZ_OK) place_->throw_last_failure(code);
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

namespace {

/// A stage at a place: the zz_stage of the boundary.
struct PythonStage {
  const zz_host* host;
  std::shared_ptr<StagePlace> place;
  py::object instance;
};

/// One iteration: the generator that `run` made.
struct Iteration {
  const PythonStage* stage;
  py::object generator;
  zz_status status = ZZ_OK;  ///< that of a failure, which is final
  bool ended = false;
};

PythonStage& stage_of(zz_stage* stage) { return *reinterpret_cast<PythonStage*>(stage); }
const PythonStage& stage_of(const zz_stage* stage) { return *reinterpret_cast<const PythonStage*>(stage); }

/// Runs a piece of Python and turns what it raises into a status.
template <class Work>
zz_status guarded(const zz_host& host, zz_error* error, Work work) noexcept {
  const py::gil_scoped_acquire acquired;
  try {
    work();
    return ZZ_OK;
  } catch (py::error_already_set& raised) {
    return report_exception(host, error, raised);
  } catch (const py::cast_error&) {  // whose words are the binding's
    host.fail(error, ZZ_E_INTERNAL, unexpected_value, std::char_traits<char>::length(unexpected_value));
  } catch (const std::exception& problem) {
    host.fail(error, ZZ_E_INTERNAL, problem.what(), std::char_traits<char>::length(problem.what()));
  }
  return ZZ_E_INTERNAL;
}

zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                 zz_error* error) noexcept {
  return guarded(*host, error, [&] {
    const py::object values = to_plain_python(core::value_of_part(host::from_abi(settings)));
    auto place = std::make_shared<StagePlace>(host, at);
    py::object instance = py::module_::import("zz.stage").attr("_create")(values, place);
    *out = reinterpret_cast<zz_stage*>(new PythonStage{host, std::move(place), std::move(instance)});
  });
}

void destroy(zz_stage* stage) noexcept {
  const py::gil_scoped_acquire acquired;
  const std::unique_ptr<PythonStage> ended(&stage_of(stage));
  ended->place->close_all();
}

std::string in_short(const py::object& thing) {
  return py::module_::import("zz.stage").attr("_short")(thing).cast<std::string>();
}

/// (evaluation, extra), or an evaluation alone.
zz_result result_of(const StagePlace& place, const py::object& yielded) {
  const bool pair = py::isinstance<py::tuple>(yielded) && py::len(yielded) == 2;
  py::handle evaluation = yielded, extra = py::none();
  if (pair) {
    evaluation = PyTuple_GET_ITEM(yielded.ptr(), 0);
    extra = PyTuple_GET_ITEM(yielded.ptr(), 1);
  }
  const bool possible = py::isinstance<core::Value>(evaluation) || py::isinstance<py::list>(evaluation) ||
                        (evaluation.is_none() && !extra.is_none());
  if (!possible)
    throw py::type_error("the stage yielded " + in_short(yielded) +
                         "; expected (evaluation, extra), as the chain below gives them");
  // Both are made before either is given.
  const core::Value first = from_python(evaluation), second = from_python(extra);
  return {place.give(first), extra.is_none() ? nullptr : place.give(second)};
}

/// One result a call, whatever the room: a generator may fail after it.
zz_status pull(zz_stream* stream, zz_result* out, std::uint32_t, std::uint32_t* count,
               zz_error* error) noexcept {
  auto& iteration = *static_cast<Iteration*>(stream->impl);
  const zz_host& host = *iteration.stage->host;
  *count = 0;
  if (iteration.status != ZZ_OK) {
    constexpr std::string_view again = "it failed before";
    host.fail(error, iteration.status, again.data(), again.size());
  }
  if (iteration.ended) return iteration.status;
  iteration.status = guarded(host, error, [&] {
    const py::object next = py::reinterpret_steal<py::object>(PyIter_Next(iteration.generator.ptr()));
    if (!next && PyErr_Occurred() != nullptr) throw py::error_already_set();
    iteration.ended = !next;
    if (!next) return;
    *out = result_of(*iteration.stage->place, next);
    *count = 1;
  });
  iteration.ended = iteration.ended || iteration.status != ZZ_OK;
  return iteration.status;
}

void close(zz_stream* stream) noexcept {
  const py::gil_scoped_acquire acquired;
  const std::unique_ptr<Iteration> ended(static_cast<Iteration*>(stream->impl));
  if (py::hasattr(ended->generator, "close")) {
    PyObject* const closed = PyObject_CallMethod(ended->generator.ptr(), "close", nullptr);
    if (closed == nullptr && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
      PyErr_Clear();
      PyErr_SetInterrupt();  // comes again, where it can be raised
    }
    if (closed == nullptr && PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(ended->generator.ptr());
    Py_XDECREF(closed);
  }
}

zz_status open(zz_stage* self, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  const PythonStage& stage = stage_of(self);
  return guarded(*stage.host, error, [&] {
    py::object results = stage.instance.attr("run")(py::cast(stage.place->value_in(context)));
    if (results.is_none()) results = py::list();
    if (Py_TYPE(results.ptr())->tp_iter == nullptr && PySequence_Check(results.ptr()) == 0)
      throw py::type_error("run() returned " + in_short(results) +
                           "; expected its results: `yield` each, or return self.substage(context)");
    auto iteration = std::make_unique<Iteration>(Iteration{&stage, py::iter(results)});
    *out = {iteration.release(), pull, close, nullptr};
  });
}

/// The ability "zz.stage.demand/0": (keep, [metrics]) of the method `demand`.
void demand(const zz_stage* self, zz_demand* out) noexcept {
  *out = {};
  const py::gil_scoped_acquire acquired;
  try {
    const py::tuple stated = stage_of(self).instance.attr("demand")();
    for (const py::handle metric : stated[1]) {
      if (out->n == std::size(out->metric)) return;
      out->metric[out->n++] = core::intern(metric.cast<std::string>());
    }
    out->keep = stated[0].cast<std::uint32_t>();
  } catch (const std::exception&) {
    *out = {};  // everything is wanted, which is always right
  }
}

/// The ability "zz.stage.limits/0": {metric: at most} of the method `limits`.
void limits(const zz_stage* self, zz_limits* out) noexcept {
  *out = {};
  const py::gil_scoped_acquire acquired;
  try {
    const py::dict stated = stage_of(self).instance.attr("limits")();
    if (stated.size() > std::size(out->metric)) return;
    for (const auto& [metric, most] : stated) {
      out->metric[out->n] = core::intern(metric.cast<std::string>());
      out->at_most[out->n++] = most.cast<double>();
    }
  } catch (const std::exception&) {
    *out = {};  // no limits, which is always right
  }
}

const void* get_extension(const zz_stage* self, const char* id) noexcept {
  static const zz_stage_demand demand_ability = {sizeof(zz_stage_demand), demand};
  static const zz_stage_limits limits_ability = {sizeof(zz_stage_limits), limits};
  const std::string_view asked = id;
  if (self == nullptr || (asked != ZZ_STAGE_DEMAND && asked != ZZ_STAGE_LIMITS)) return nullptr;
  const bool of_demand = asked == ZZ_STAGE_DEMAND;
  const py::gil_scoped_acquire acquired;
  if (!py::hasattr(stage_of(self).instance, of_demand ? "demand" : "limits")) return nullptr;
  return of_demand ? static_cast<const void*>(&demand_ability) : &limits_ability;
}

}  // namespace

void set_functions(zz_stage_desc& stage) {
  stage.create = create;
  stage.destroy = destroy;
  stage.open = open;
  stage.get_extension = get_extension;
}

StageTables::StageTables(const std::string& file, const py::list& classes) {
  for (const py::handle description : classes) add_stage(py::reinterpret_borrow<py::dict>(description));
  for (const zz_stage_desc& stage : stages_) list_.push_back(&stage);
  plugin_.size = sizeof plugin_;
  plugin_.abi_major = ZZ_ABI_MAJOR;
  plugin_.abi_minor = ZZ_ABI_MINOR;
  plugin_.id = text(py::str("python:" + host::lasting_name(file)));
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
  const py::list added = description["metrics"];
  stage.metrics = metrics(added);
  stage.n_metrics = added.size();
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

const zz_metric* StageTables::metrics(const py::list& rows) {
  auto& table = metrics_.emplace_back();
  for (const py::handle row : rows) {
    zz_metric& metric = table.emplace_back();
    metric.name = text(row["name"]);
    metric.sum = row["sum"].cast<std::int32_t>();
    metric.flags = row["flags"].cast<std::uint32_t>();
    metric.unit = text(row["unit"]);
    metric.doc = text(row["doc"]);
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

namespace {

/// zz_stage_files.load: the classes of a file as a plugin.
const zz_plugin* load(const zz_host* host, zz_str path, zz_error* error) noexcept {
  const py::gil_scoped_acquire acquired;
  try {
    const std::string file(path.p, path.n);
    const py::list classes = py::module_::import("zz.stage").attr("_load")(file);
    auto* const tables = new StageTables(file, classes);
    return tables->plugin();
  } catch (py::error_already_set& raised) {
    report_exception(*host, error, raised);
  } catch (const std::exception& problem) {
    host->fail(error, ZZ_E_INTERNAL, problem.what(), std::char_traits<char>::length(problem.what()));
  }
  return nullptr;
}

const zz_stage_files stage_files = {sizeof(zz_stage_files), ".py", load};

/// The extension of the host, or an exception.
template <class Table>
const Table& extension(const StagePlace& place, const char* id) {
  place.alive();
  return *static_cast<const Table*>(place.host->get_extension(id));
}

void write_log(const StagePlace& place, int level, const std::string& text) {
  const auto& log = extension<zz_log>(place, ZZ_LOG);
  const py::gil_scoped_release released;
  log.write(place.place, level, text.data(), text.size());
}

void count(const StagePlace& place, const std::string& what, std::uint64_t amount) {
  extension<zz_progress>(place, ZZ_PROGRESS).count(place.place, what.data(), what.size(), amount);
}

/// All that is in a file of the run: a str, or bytes.
py::object read_whole(const StagePlace& place, const std::string& path, bool is_text) {
  const auto& input = extension<zz_input>(place, ZZ_INPUT);
  zz_error error;
  zz_value* given = nullptr;
  {
    const py::gil_scoped_release released;
    given = (is_text ? input.text : input.bytes)(place.place, {path.data(), path.size()}, &error);
  }
  if (given == nullptr) place.throw_refused(error.code, error.message);
  const core::Value content = place.take(given);
  std::string_view bytes;
  core::read_text(content.ref(), bytes);
  if (is_text) return py::str(bytes.data(), bytes.size());
  return py::bytes(bytes.data(), bytes.size());
}

py::object find_answer(const StagePlace& place, const core::Value& question, const std::string& store) {
  const auto& answers = extension<zz_answers>(place, ZZ_ANSWERS);
  zz_error error;
  zz_value* found = nullptr;
  const zz_status code =
      answers.find(place.place, host::to_abi(question.ref()), {store.data(), store.size()}, &found, &error);
  if (code != ZZ_OK) place.throw_refused(code, error.message);
  return to_plain_python(place.take(found));
}

void keep_answer(const StagePlace& place, const core::Value& question, const core::Value& answer,
                 const std::string& store) {
  const auto& answers = extension<zz_answers>(place, ZZ_ANSWERS);
  zz_error error;
  const zz_status code = answers.keep(place.place, host::to_abi(question.ref()), host::to_abi(answer.ref()),
                                      {store.data(), store.size()}, &error);
  if (code != ZZ_OK) place.throw_refused(code, error.message);
}

bool cancelled(const StagePlace& place) { return extension<zz_cancel>(place, ZZ_CANCEL).requested() != 0; }

/// Scores of temporal mappings that come as numbers: zz_score.orders.
class OrderScorer final : public UseOfChain {
 public:
  OrderScorer(std::shared_ptr<StagePlace> place, const core::Value& context,
              const std::vector<std::string>& metrics)
      : place_(std::move(place)), columns_(metrics.size()) {
    score_ = &extension<zz_score>(*place_, ZZ_SCORE);
    std::vector<zz_name> names;
    for (const std::string& metric : metrics) names.push_back(core::intern(metric));
    zz_error error;
    zz_status code = ZZ_OK;
    {
      const py::gil_scoped_release released;
      zz_value* const handle = place_->give(context);
      code = score_->bind(place_->place, handle, core::intern("temporal_mapping"), names.data(),
                          static_cast<std::uint32_t>(names.size()), &scorer_, &error);
      place_->release(handle);
    }
    if (code != ZZ_OK) place_->throw_refused(code, error.message);
    place_->open.insert(this);
  }
  ~OrderScorer() { close(); }
  OrderScorer(const OrderScorer&) = delete;
  OrderScorer& operator=(const OrderScorer&) = delete;

  void close() override {
    zz_scorer* const ended = std::exchange(scorer_, nullptr);
    if (ended == nullptr) return;
    place_->open.erase(this);
    const py::gil_scoped_release released;
    score_->unbind(ended);
  }

  /// For each order ([dimension], [size], [cut], levels, even) the figures, or None where it does not fit.
  py::list score(const py::list& orders) {
    place_->alive();
    std::vector<Columns> columns;
    std::vector<zz_order> raw;
    for (const py::handle order : orders) columns.emplace_back(order);
    for (const Columns& one : columns) raw.push_back(one.raw());
    std::vector<double> out(columns_ * raw.size());
    zz_error error;
    zz_status code = ZZ_OK;
    {
      const py::gil_scoped_release released;
      code =
          score_->orders(scorer_, raw.data(), static_cast<std::uint32_t>(raw.size()), out.data(), &error);
    }
    if (code != ZZ_OK) place_->throw_refused(code, error.message);
    py::list scores;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      py::list figures;
      bool fits = true;
      for (std::size_t j = 0; j < columns_; ++j) {
        figures.append(out[j * raw.size() + i]);
        fits = fits && !std::isnan(out[j * raw.size() + i]);
      }
      scores.append(fits ? py::object(py::tuple(figures)) : py::object(py::none()));
    }
    return scores;
  }
  py::object mapping(const py::handle& order) {
    place_->alive();
    const Columns columns(order);
    const zz_order raw = columns.raw();
    zz_error error;
    zz_value* const made = score_->mapping(scorer_, &raw, &error);
    if (made == nullptr) place_->throw_refused(error.code, error.message);
    return to_python(place_->take(made));
  }

 private:
  struct Columns {
    explicit Columns(const py::handle& order)
        : dimension(order[py::int_(0)].cast<std::vector<std::uint8_t>>()),
          size(order[py::int_(1)].cast<std::vector<std::int64_t>>()),
          cuts(order[py::int_(2)].cast<std::vector<std::uint8_t>>()),
          levels(order[py::int_(3)].cast<std::uint32_t>()),
          even(order[py::int_(4)].cast<bool>()) {}
    zz_order raw() const {
      return {.dimension = dimension.data(),
              .size = size.data(),
              .cuts = cuts.empty() ? nullptr : cuts.data(),
              .loops = static_cast<std::uint32_t>(size.size()),
              .levels = levels,
              .even = even ? 1 : 0};
    }
    std::vector<std::uint8_t> dimension;
    std::vector<std::int64_t> size;
    std::vector<std::uint8_t> cuts;
    std::uint32_t levels;
    bool even;
  };
  std::shared_ptr<StagePlace> place_;
  const zz_score* score_ = nullptr;
  zz_scorer* scorer_ = nullptr;
  std::size_t columns_;
};

}  // namespace

void bind_stages(py::module_& module) {
  py::class_<StagePlace, std::shared_ptr<StagePlace>>(module, "_Place")
      .def("log", write_log)
      .def("count", count)
      .def("cancelled", cancelled)
      .def("take_interruption",
           [](const StagePlace& place) { extension<zz_cancel>(place, ZZ_CANCEL).take(); })
      .def("read_whole", read_whole)
      .def("find_answer",
           [](const StagePlace& place, const py::object& question, const std::string& store) {
             return find_answer(place, from_python(question), store);
           })
      .def("keep_answer", [](const StagePlace& place, const py::object& question, const py::object& answer,
                             const std::string& store) {
        keep_answer(place, from_python(question), from_python(answer), store);
      });
  py::class_<OrderScorer>(module, "_OrderScorer")
      .def(py::init<std::shared_ptr<StagePlace>, const core::Value&, const std::vector<std::string>&>())
      .def("score", &OrderScorer::score)
      .def("mapping", &OrderScorer::mapping);
  py::class_<Substage>(module, "Substage",
                       "The results of the chain below: an iterator of (evaluation, extra).")
      .def(py::init([](std::shared_ptr<StagePlace> place, const core::Value& context, std::uint32_t batch) {
        return std::make_unique<Substage>(std::move(place), context, batch);
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Substage::next)
      .def("close", &Substage::close, "Ends the iteration before its end.");
  module.def("sum_of", [](const std::vector<core::Value>& evaluations) {
    const auto* const table =
        static_cast<const zz_evaluations*>(host::host_table().get_extension(ZZ_EVALUATIONS));
    std::vector<host::Handle> handles;
    std::vector<zz_value*> given;
    for (const core::Value& evaluation : evaluations)
      given.push_back(handles.emplace_back(evaluation).get());
    zz_error error;
    const host::Handle sum =
        host::Handle::take(table->sum(given.data(), static_cast<std::uint32_t>(given.size()), &error));
    if (!sum) throw py::value_error(error.message);
    return to_python(sum.value());
  });
  module.attr("stage_files") = py::capsule(&stage_files, "zz._zz.stage_files");
}

}  // namespace zz::python
