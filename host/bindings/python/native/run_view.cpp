#include "host/bindings/python/native/run_view.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <pybind11/stl.h>
#include <set>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/rate_words.hpp"
#include "core/output/mapping_yaml.hpp"
#include "host/bindings/python/native/failure.hpp"
#include "host/bindings/python/native/interrupt.hpp"
#include "host/bindings/python/native/value_view.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/chain.hpp"
#include "host/library/comparison.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/library/run_figures.hpp"
#include "host/library/side_by_side.hpp"
#include "host/report/explain.hpp"
#include "host/report/result_rows.hpp"
#include "host/report/search_words.hpp"
#include "host/report/why_rows.hpp"
#include "host/report/why_text.hpp"

namespace zz::python {
namespace {

/// Messages of a run until Python takes them: the threads that write them need not wait for the
/// interpreter.
class Messages {
 public:
  void add(host::LogLevel level, const std::string& text) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(static_cast<int>(level), text);
  }
  std::vector<std::pair<int, std::string>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, std::string>> waiting_;
};

class RunView {
 public:
  RunView(host::PipelineRequest request, const py::dict& files, unsigned threads, int log_level,
          const std::string& store)
      : request_(std::move(request)) {
    run_.answers = std::make_shared<core::AnswersByStore>(false, store);
    for (const auto& [name, bytes] : files)
      if (py::isinstance<py::str>(bytes))
        run_.files.add_value(name.cast<std::string>(), bytes.cast<std::string>());
      else
        run_.files.add(name.cast<std::string>(), bytes.cast<std::string>());
    run_.threads = host::threads_for(threads);
    run_.log.show(static_cast<host::LogLevel>(log_level),
                  [this](host::LogLevel level, const std::string& text) { messages_.add(level, text); });
    interruptibly([&] {
      const host::WorkingFor working(run_);
      open_ = host::open_pipeline(request_);
    });
    const host::WorkingFor working(run_);
    if (open_.code != host::ExitCode::done) throw_problems(open_.diagnostics, open_.code);
    in_chain([this] { pipeline_ = std::make_unique<host::PipelineRun>(open_, run_); });
  }
  ~RunView() { close(); }

  /// The (evaluation, extra) that comes next, or None.
  py::object next() {
    if (pipeline_ == nullptr) return py::none();
    std::optional<host::PipelineResult> result;
    in_chain([&] { result = pipeline_->next(); });
    if (!result.has_value()) return py::none();
    return py::make_tuple(to_python(result->evaluation), to_python(result->extra));
  }

  void close() {
    if (pipeline_ == nullptr) return;
    const Interruptible interruptible(run_);  // an exception amid what ends here would be lost
    const py::gil_scoped_release released;
    pipeline_.reset();
  }

  /// The pipeline both ways, as JSON, in place of its results.
  std::string compare(const std::string& with, bool by_rule) {
    close();
    std::string text;
    in_chain([&] {
      const host::Comparison found = host::compare(request_, open_, {with, by_rule}, run_);
      text = core::json_text(host::comparison_json(found), core::one_line);
    });
    return text;
  }

  /// The pipeline's findings, as JSON, in place of its results; no files are written.
  std::string figures() {
    close();
    std::string text;
    in_chain([&] {
      const host::OpenPipeline open = host::open_pipeline(host::without_files(request_, {}));
      open.diagnostics.throw_if_errors();
      text = host::figures_text(host::run_figures(open, run_));
    });
    return text;
  }

  /// (key of the point, whether one result is all of it).
  py::tuple key() {
    if (pipeline_ == nullptr) throw py::value_error("the run is closed: it has no key any more");
    host::PipelineRun::Key found;
    in_chain([&] { found = pipeline_->key(); });
    return py::make_tuple(py::bytes(reinterpret_cast<const char*>(found.key.data()), found.key.size()),
                          found.one);
  }

  /// Said after the last result where there was none.
  std::string no_result() const {
    return pipeline_ ? pipeline_->no_result() : "the pipeline gave no result";
  }

  void cancel() { run_.cancelled = true; }
  py::tuple progress() const { return py::make_tuple(run_.progress.text(), run_.progress.fraction()); }
  py::dict counters() const {
    py::dict all;
    for (const auto& [name, amount] : host::counters_of(run_)) all[py::str(name)] = amount;
    return all;
  }
  std::vector<std::pair<int, std::string>> messages() { return messages_.take(); }
  std::set<std::string> files_read() const { return run_.files.read_so_far(); }
  py::list problems() const { return problems_as_dicts(open_.diagnostics.all()); }
  std::string explanation(const std::string& format) const {
    if (format == "json") return host::explain_as_json(open_.chain);
    if (format == "yaml") return host::normal_form(open_.pipeline, open_.chain);
    return host::explain_as_text(open_.chain);
  }

 private:
  /// Works without the interpreter's lock. Throws for Ctrl-C, which stages in Python must not meet: they
  /// would take it for a failure.
  template <class Work>
  void interruptibly(Work work) {
    Interruptible interruptible(run_);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    {
      const py::gil_scoped_release released;
      work();
    }
    if (interruptible.interrupted() && PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  /// Runs a part of the chain. Throws for a failed one, too.
  template <class Work>
  void in_chain(Work work) {
    remember_cause(py::object());
    host::FailurePointer failure;
    interruptibly([&] {
      try {
        work();
      } catch (const host::ChainFailure& failed) {
        failure = failed.failure();
      }
    });
    if (failure != nullptr) throw_failure(*failure);
  }

  const host::PipelineRequest request_;
  Messages messages_;  ///< outlives the log
  host::Run run_;
  host::OpenPipeline open_;
  std::unique_ptr<host::PipelineRun> pipeline_;
};

py::dict row_as_dict(const host::ResultRow& row) {
  py::dict entry;
  entry["layer"] = row.layer;
  entry["energy"] = row.energy;
  entry["latency"] = row.latency;
  entry["utilization"] = row.utilization;
  entry["unrolling"] = row.unrolling;
  entry["limited_by"] = row.limited_by;
  entry["clock"] = row.clock;
  entry["area"] = row.area;
  for (const auto& [name, value] : row.metrics) entry[py::str(name)] = value;
  return entry;
}

/// {name: unit} of the metrics that have a column of the table at the end of a run.
std::map<std::string, std::string> metric_columns() {
  std::map<std::string, std::string> columns;
  for (const core::MetricRule& rule : core::described_metrics())
    if (rule.column) columns.emplace(rule.name, rule.unit);
  return columns;
}

/// The rows of the table at the end of a run: {settings, layers, total}.
py::dict summary_of(const py::object& evaluation, const py::object& extra) {
  const host::ResultRows rows = host::rows_of(from_python(evaluation), from_python(extra));
  py::list layers;
  for (const host::ResultRow& row : rows.layers) layers.append(row_as_dict(row));
  py::dict settings;
  for (const auto& [name, text] : rows.settings) settings[py::str(name)] = text;
  py::dict result;
  result["settings"] = settings;
  result["layers"] = layers;
  result["search"] = host::search_words(rows.layers);
  const host::ResultRow* const whole = rows.total                ? &*rows.total
                                       : rows.layers.size() == 1 ? &rows.layers.front()
                                                                 : nullptr;
  const core::Evaluation* const figures = whole == nullptr ? nullptr : whole->evaluation();
  result["rates"] = figures == nullptr ? "" : core::rate_words(*figures);
  result["total"] = rows.total ? py::object(row_as_dict(*rows.total)) : py::none();
  return result;
}

/// Results of run() and map() as RunView::figures() has those of a run.
std::string figures_of(const py::list& results) {
  std::vector<host::ResultRows> rows;
  for (const py::handle result : results) {
    const auto pair = result.cast<py::tuple>();
    rows.push_back(host::in_layers(host::rows_of(from_python(pair[0]), from_python(pair[1]))));
  }
  return host::figures_text(rows);
}

/// Two runs by their names and figures as JSON; without figures, the name is of what an earlier run left.
py::tuple side_by_side_of(const std::string& first, const std::string& first_figures,
                          const std::string& second, const std::string& second_figures) {
  const auto figures_of = [](const std::string& name, const std::string& figures) {
    return figures.empty() ? host::read_figures(name) : host::parse_figures(figures, name);
  };
  const host::SideBySide runs{
      first, second, host::pair_up(figures_of(first, first_figures), figures_of(second, second_figures))};
  return py::make_tuple(core::json_text(host::side_by_side_json(runs), core::one_line),
                        host::side_by_side_page(runs));
}

/// The words of `zz-host why`. Ctrl-C ends a search.
std::string why_in_words(const py::object& evaluation, const py::object& extra, const std::string& layer,
                         bool mapping, bool energy, bool search, std::int64_t factor) {
  host::Run run;
  run.threads = host::threads_for(0);
  const host::WhyQuestion question{
      .layer = layer, .mapping = mapping, .energy = energy, .search = search, .factor = factor};
  const host::ResultRows rows = host::rows_of(from_python(evaluation), from_python(extra));
  std::string text, wrong;
  Interruptible interruptible(run);
  {
    const py::gil_scoped_release released;
    try {
      text = host::why_text(host::why_of(rows, question, run), question);
    } catch (const core::InputError& error) {
      wrong = error.diagnostics().front().message + "; " + error.diagnostics().front().hint;
    }
  }
  if (interruptible.interrupted() && PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!wrong.empty()) throw py::key_error(wrong);
  return text;
}

/// The parts of each layer: JSON, as `zz-host why --format=json` has them.
std::string parts_of_layers(const py::object& evaluation, const py::object& extra) {
  const host::ResultRows rows = host::rows_of(from_python(evaluation), from_python(extra));
  return core::json_text(host::parts_json(rows), core::one_line);
}

/// The mapping file that comes to these layers again; "" of no layers.
std::string mapping_of(py::handle evaluation, py::handle extra) {
  std::vector<core::LayerMapping> entries;
  std::string fused;
  for (const host::ResultRow& row : host::rows_of(from_python(evaluation), from_python(extra)).layers) {
    const core::Evaluation& one = *row.evaluation();
    if (!one.layer || !one.temporal_mapping) continue;
    entries.push_back(core::replay_entry(one));
    if (one.fused) fused += (fused.empty() ? "" : ", ") + one.layer->name;
  }
  const std::string told =
      "by itself each of these layers costs something else than in its fused group, which "
      "fused_groups.yaml "
      "keeps: " +
      fused;
  if (!fused.empty() && PyErr_WarnEx(PyExc_UserWarning, told.c_str(), 1) != 0)
    throw py::error_already_set();
  return entries.empty() ? "" : core::mapping_yaml(entries);
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<RunView>(module, "Run", "A pipeline at work. Use zz.run() and zz.iterate().")
      .def(py::init([](const std::string& path, const std::optional<std::string>& text,
                       const std::vector<std::string>& set, const std::vector<std::string>& plugins,
                       const std::vector<std::string>& plugin_paths,
                       const std::vector<std::string>& arguments, const py::dict& files, unsigned threads,
                       int log_level, const std::string& store) {
             host::PipelineRequest request{path, text, set, "", plugins, plugin_paths};
             request.arguments = arguments;
             return std::make_unique<RunView>(std::move(request), files, threads, log_level, store);
           }),
           py::arg("path"), py::arg("text"), py::arg("set"), py::arg("plugins"), py::arg("plugin_paths"),
           py::arg("arguments"), py::arg("files"), py::arg("threads"), py::arg("log_level"),
           py::arg("store") = "")
      .def("next", &RunView::next)
      .def("close", &RunView::close)
      .def("compare", &RunView::compare, py::arg("with_"), py::arg("by_rule"))
      .def("figures", &RunView::figures)
      .def("key", &RunView::key)
      .def("no_result", &RunView::no_result)
      .def("cancel", &RunView::cancel)
      .def("progress", &RunView::progress)
      .def("counters", &RunView::counters)
      .def("messages", &RunView::messages)
      .def("files_read", &RunView::files_read)
      .def("problems", &RunView::problems)
      .def("explanation", &RunView::explanation);
  module.attr("UNEXPECTED_VALUE") = unexpected_value;
  module.attr("COUNTERS_OF_STORE") = py::make_tuple(host::asked_of_store, host::found_in_store);
  module.def("side_by_side", side_by_side_of);
  module.def("is_of_earlier_run", host::is_of_earlier_run);
  module.def("figures", figures_of);
  module.def("metric_columns", metric_columns);
  module.def("summary", summary_of, py::arg("evaluation"), py::arg("extra"));
  module.def("why", why_in_words, py::arg("evaluation"), py::arg("extra"), py::arg("layer"),
             py::arg("mapping"), py::arg("energy"), py::arg("search"), py::arg("factor"));
  module.def("mapping_of", mapping_of, py::arg("evaluation"), py::arg("extra"));
  module.def("parts", parts_of_layers, py::arg("evaluation"), py::arg("extra"));
}

}  // namespace zz::python
