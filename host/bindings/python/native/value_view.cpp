#include "host/bindings/python/native/value_view.hpp"

#include <fmt/format.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <tuple>

#include "core/base/nearest_name.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/port_load.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/output/archive/archive.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"
#include "core/value/type.hpp"
#include "host/values/context.hpp"
#include "host/values/made_schedule.hpp"

namespace zz::python {
namespace {

using core::Kind;
using core::Ref;
using core::Value;

py::str text(std::string_view words) { return py::str(words.data(), words.size()); }

Ref ref_of(const Value& value) { return core::look_through(value.ref()); }

std::vector<std::string> keys_of(const Value& value) {
  std::vector<std::string> keys;
  const Ref ref = ref_of(value);
  const std::uint32_t count = core::count_of(ref);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view key;
    core::part_at(ref, i, &key);
    keys.emplace_back(key);
  }
  return keys;
}

/// Keys that a stage, or a file, chose may be any; fields are the first to be looked for.
py::object part_named(const Value& value, const std::string& name) {
  const Ref part = core::part(ref_of(value), core::intern(name));
  if (part.type == nullptr) return {};
  return to_python(core::held_part(value, part));
}

std::string why_missing(const Value& value, const std::string& name) {
  const std::vector<std::string> keys = keys_of(value);
  return fmt::format("{} has no '{}'; {}", core::describe(value.ref()), name, core::suggestion(name, keys));
}

py::object get_attribute(const Value& value, const std::string& name) {
  // Python asks every object for such names, and names are kept for the life of the process.
  if (!name.starts_with("__") && !name.starts_with("_repr_") && !name.starts_with("_ipython_")) {
    if (py::object found = part_named(value, name)) return found;
  }
  throw py::attribute_error(why_missing(value, name));
}

/// The same as Python's own way over __getattr__, which makes an exception first for each part that is
/// read.
PyObject* attribute_of(PyObject* self, PyObject* name) noexcept {
  if (_PyType_Lookup(Py_TYPE(self), name) != nullptr) return PyObject_GenericGetAttr(self, name);
  try {
    return get_attribute(py::handle(self).cast<const Value&>(), py::handle(name).cast<std::string>())
        .release()
        .ptr();
  } catch (py::error_already_set& raised) {
    raised.restore();
  } catch (const py::builtin_exception& raised) {
    raised.set_error();
  } catch (const std::exception& problem) {
    PyErr_SetString(PyExc_RuntimeError, problem.what());
  }
  return nullptr;
}

py::object item_at(const Value& value, std::int64_t index) {
  const Ref ref = ref_of(value);
  const std::int64_t count = core::count_of(ref);
  if (core::kind_of(ref) != Kind::list) throw py::key_error(std::to_string(index));
  if (index < 0) index += count;
  if (index < 0 || index >= count)
    throw py::index_error(fmt::format("the list has {} items, counted from 0", count));
  return to_python(core::held_part(value, core::part_at(ref, static_cast<std::uint32_t>(index))));
}

py::object get_item(const Value& value, py::handle key) {
  if (py::isinstance<py::str>(key)) {
    const auto name = key.cast<std::string>();
    if (py::object found = part_named(value, name)) return found;
    throw py::key_error(why_missing(value, name));
  }
  if (py::isinstance<py::slice>(key)) {
    std::size_t start = 0, stop = 0, step = 0, length = 0;
    if (!py::reinterpret_borrow<py::slice>(key).compute(core::count_of(ref_of(value)), &start, &stop, &step,
                                                        &length))
      throw py::error_already_set();
    py::list items;
    for (std::size_t i = 0; i < length; ++i, start += step)
      items.append(item_at(value, static_cast<std::int64_t>(start)));
    return items;
  }
  return item_at(value, key.cast<std::int64_t>());
}

py::list items_of(const Value& value, bool with_keys) {
  const Ref ref = ref_of(value);
  py::list items;
  const std::uint32_t count = core::count_of(ref);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view key;
    py::object item = to_python(core::held_part(value, core::part_at(ref, i, &key)));
    if (with_keys)
      items.append(py::make_tuple(text(key), item));
    else
      items.append(item);
  }
  return items;
}

py::iterator iterate(const Value& value) {
  if (core::kind_of(ref_of(value)) == Kind::list) return py::iter(items_of(value, false));
  return py::iter(py::cast(keys_of(value)));
}

py::dict units_of(const Value& value) {
  py::dict units;
  if (const Ref ref = ref_of(value); ref.type != nullptr) {
    for (const core::Field& field : ref.type->fields)
      if (*field.unit != '\0') units[field.name] = field.unit;
  }
  return units;
}

/// The rule of a metric that the value has and a stage has described; null without.
const core::MetricRule* metric_of(const Value& value, const std::string& name) {
  if (core::part(ref_of(value), core::intern(name)).type == nullptr) return nullptr;
  for (const core::MetricRule& rule : core::described_metrics())
    if (rule.name == name) return &rule;
  return nullptr;
}

std::string unit_of(const Value& value, const std::string& name) {
  if (const Ref ref = ref_of(value); ref.type != nullptr) {
    for (const core::Field& field : ref.type->fields)
      if (name == field.name) return field.unit;
  }
  if (core::part(ref_of(value), core::intern(name)).type == nullptr)
    throw py::key_error(why_missing(value, name));
  const core::MetricRule* const metric = metric_of(value, name);
  return metric == nullptr ? "" : metric->unit;
}

std::string documentation_of(const Value& value, const std::string& name) {
  const Ref ref = ref_of(value);
  if (ref.type != nullptr && name.empty()) return std::string(ref.type->doc);
  if (ref.type != nullptr) {
    for (const core::Field& field : ref.type->fields)
      if (name == field.name) return field.doc;
  }
  if (const core::MetricRule* const metric = metric_of(value, name)) return metric->doc;
  throw py::key_error(why_missing(value, name));
}

std::vector<core::Edit> edits_of(const py::dict& parts, const py::kwargs& named) {
  std::vector<core::Edit> edits;
  for (const py::dict& more : {parts, static_cast<const py::dict&>(named)}) {
    for (const auto& [path, part] : more) {
      if (!py::isinstance<py::str>(path))
        throw py::type_error(fmt::format("the path {} is no text", py::repr(path).cast<std::string>()));
      edits.push_back({core::intern(path.cast<std::string>()), from_python(part)});
    }
  }
  return edits;
}

/// value.changed({"memories[l1].size": 1024}) or value.changed(name="x").
Value changed(const Value& value, const py::dict& parts, const py::kwargs& named) {
  const std::vector<core::Edit> edits = edits_of(parts, named);
  return host::is_context(value) ? host::edited_context(value, edits) : core::with(value, edits);
}

/// make("evaluation", energy_total=1.0, ...).
Value make(const std::string& type, const py::dict& parts, const py::kwargs& named) {
  Value made = core::make_object(type, edits_of(parts, named));
  if (made.as<core::Schedule>()) host::check_made_schedule(made, Value());
  return made;
}

std::string representation(const Value& value) {
  const Ref ref = ref_of(value);
  constexpr std::size_t most = 300;
  std::string json = core::to_json(ref);
  if (json.size() > most) {
    json.resize(most);
    while (!json.empty() && (static_cast<unsigned char>(json.back()) & 0x80) != 0) json.pop_back();
    json += " ...";
  }
  const std::string type(core::type_name_of(ref));
  return fmt::format("<zz {} {}>", type.empty() ? "value" : type, json);
}

py::tuple pickled(const Value& value) {
  const std::string bytes = core::bytes_of_result(value, {});
  return py::make_tuple(py::module_::import("zz.results").attr("_value_of_bytes"),
                        py::make_tuple(py::bytes(bytes)));
}

Value from_pickle(const py::bytes& bytes) {
  return core::result_of_bytes(static_cast<std::string_view>(bytes)).first;
}

std::string bytes_of(py::handle text) {
  Py_ssize_t size = 0;
  if (const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size); bytes != nullptr)
    return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw py::value_error("the text " +
                        py::reinterpret_steal<py::str>(PyObject_ASCII(text.ptr())).cast<std::string>() +
                        " has letters that UTF-8 lacks");
}

std::int64_t number_of(py::handle integer) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow != 0) throw py::value_error("a whole number is one of 64 bits, and this one is longer");
  return number;
}

/// Against containers that are within themselves.
class Depth {
 public:
  Depth() {
    if (Py_EnterRecursiveCall(" where a value is made of it") != 0) throw py::error_already_set();
  }
  ~Depth() { Py_LeaveRecursiveCall(); }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

Value map_from(const py::dict& entries) {
  core::MapNode map;
  for (const auto& [key, entry] : entries) {
    if (!py::isinstance<py::str>(key))
      throw py::type_error(
          fmt::format("the key {} of a map is no text", py::repr(key).cast<std::string>()));
    map.set(core::intern(bytes_of(key)), from_python(entry));
  }
  return core::map_value(std::move(map));
}

}  // namespace

py::object to_python(const Value& value) {
  const Ref ref = ref_of(value);
  switch (core::kind_of(ref)) {
    case Kind::none:
    case Kind::null:
      return py::none();
    case Kind::boolean: {
      std::int64_t truth = 0;
      core::read_i64(ref, truth);
      return py::bool_(truth != 0);
    }
    case Kind::i64: {
      std::int64_t number = 0;
      core::read_i64(ref, number);
      return py::int_(number);
    }
    case Kind::f64: {
      double number = 0;
      core::read_f64(ref, number);
      return py::float_(number);
    }
    case Kind::str: {
      std::string_view words;
      core::read_text(ref, words);
      return text(words);
    }
    default:
      return py::cast(value);
  }
}

py::object to_plain_python(const Value& value) {
  const Ref ref = ref_of(value);
  const Kind kind = core::kind_of(ref);
  if (kind != Kind::list && kind != Kind::map && kind != Kind::object) return to_python(value);
  const std::uint32_t count = core::count_of(ref);
  py::list list;
  py::dict map;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view key;
    py::object part = to_plain_python(core::held_part(value, core::part_at(ref, i, &key)));
    if (kind == Kind::list)
      list.append(part);
    else
      map[text(key)] = part;
  }
  return kind == Kind::list ? py::object(list) : py::object(map);
}

Value from_python(py::handle object) {
  if (object.is_none()) return {};
  if (py::isinstance<Value>(object)) return object.cast<Value>();
  if (py::isinstance<py::bool_>(object)) return Value::boolean(object.cast<bool>());
  if (py::isinstance<py::int_>(object)) return Value::integer(number_of(object));
  if (py::isinstance<py::float_>(object)) return Value::number(object.cast<double>());
  if (py::isinstance<py::str>(object)) return Value::text(bytes_of(object));
  const Depth depth;
  if (py::isinstance<py::dict>(object)) return map_from(py::reinterpret_borrow<py::dict>(object));
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    std::vector<Value> items;
    for (const py::handle item : object) items.push_back(from_python(item));
    return Value::list(std::move(items));
  }
  // Paths, and numbers and arrays of numpy.
  if (py::hasattr(object, "__fspath__")) return from_python(object.attr("__fspath__")());
  if (py::hasattr(object, "tolist")) return from_python(object.attr("tolist")());
  throw py::type_error(fmt::format("zz has no value for {} of type {}",
                                   py::repr(object).cast<std::string>(),
                                   py::str(py::type::of(object).attr("__name__")).cast<std::string>()));
}

void bind_value(py::module_& module) {
  py::class_<Value>(module, "Value",
                    R"(A part of a result, an accelerator, a layer ...: a lazy view, read only.

Parts are attributes and items (``evaluation.energy_total``, ``accelerator["memories[l1].size"]``); lists and
maps behave as Python's. Numbers come in the units that ``units()`` tells: energy in pJ, time in cycles,
sizes in bits.)")
      .def_property_readonly(
          "type", [](const Value& value) { return core::type_name_of(ref_of(value)); },
          "The type of an object, as 'layer'; empty for lists and maps.")
      .def("__getattr__", get_attribute)
      .def("__getitem__", get_item)
      .def("__len__", [](const Value& value) { return core::count_of(ref_of(value)); })
      .def("__bool__",
           [](const Value& value) {
             return core::kind_of(ref_of(value)) == Kind::object || core::count_of(ref_of(value)) > 0;
           })
      .def("__iter__", iterate)
      .def("__contains__",
           [](const Value& value, const py::object& key) {
             if (core::kind_of(ref_of(value)) == Kind::list) return items_of(value, false).contains(key);
             return py::isinstance<py::str>(key) &&
                    core::part(ref_of(value), core::intern(key.cast<std::string>())).type != nullptr;
           })
      .def("__dir__",
           [](const py::object& self) {
             py::list names = py::module_::import("builtins").attr("dir")(py::type::of(self));
             for (const std::string& key : keys_of(self.cast<Value>())) names.append(key);
             return names;
           })
      .def("__eq__",
           [](const Value& value, const py::object& other) {
             if (py::isinstance<Value>(other))
               return core::to_json(ref_of(value)) == core::to_json(ref_of(other.cast<Value>()));
             return to_plain_python(value).equal(other);
           })
      .def("__hash__", [](const Value& value) { return py::hash(text(core::to_json(ref_of(value)))); })
      .def("__repr__", representation)
      .def("__reduce__", pickled)
      .def("keys", keys_of, "The names of the parts.")
      .def(
          "values", [](const Value& value) { return items_of(value, false); }, "The parts.")
      .def(
          "items", [](const Value& value) { return items_of(value, true); }, "(name, part) of every part.")
      .def(
          "get",
          [](const Value& value, const std::string& name, py::object otherwise) {
            py::object found = part_named(value, name);
            return found ? found : otherwise;
          },
          py::arg("name"), py::arg("default") = py::none(), "The part at a name or path, or the default.")
      .def("units", units_of, "{field: unit} of the fields that have one.")
      .def("unit", unit_of, py::arg("name"), "The unit of a field or metric; '' when it has none.")
      .def("describe", documentation_of, py::arg("name") = "",
           "What a field or metric means; without a name, what the object is.")
      .def("to_python", to_plain_python, "The value as lists and dicts.")
      .def(
          "json", [](const Value& value) { return text(core::to_json(ref_of(value))); },
          "The value as JSON text.")
      .def("changed", changed, py::arg("parts") = py::dict(),
           "A copy with other parts: value.changed({'memories[l1].size': 1024}) or "
           "value.changed(name='x').");
  reinterpret_cast<PyTypeObject*>(module.attr("Value").ptr())->tp_getattro = attribute_of;
  module.def("make", make, py::arg("type"), py::arg("parts") = py::dict(),
             "An object of a type of docs/values.md from its parts, checked: "
             "zz.make('evaluation', layer=layer, energy_total=1.0, latency_total2=2.0).");
  module.def("_value_of_bytes", from_pickle);
  module.def("_bytes_of_result", [](py::handle evaluation, py::handle extra) {
    return py::bytes(core::bytes_of_result(from_python(evaluation), from_python(extra)));
  });
  module.def("_result_of_bytes", [](const py::bytes& bytes) {
    const auto [evaluation, extra] = core::result_of_bytes(static_cast<std::string_view>(bytes));
    return py::make_tuple(to_python(evaluation), to_python(extra));
  });
}

namespace {

/// [(memory, port, cycles)], memory by memory in file order.
std::vector<std::tuple<std::string, std::string, std::int64_t>> stalls(const core::Value& value,
                                                                       const std::string& compat) {
  const auto evaluation = value.as<core::Evaluation>();
  if (evaluation == nullptr || evaluation->layer == nullptr || evaluation->temporal_mapping == nullptr)
    throw py::type_error("ports fall behind in the evaluation of one layer; this is none");
  const core::CostModel model(evaluation->accelerator, evaluation->layer, evaluation->spatial_mapping,
                              evaluation->spatial_mapping_int, {.rules = core::rules_of(compat)});
  std::vector<std::tuple<std::string, std::string, std::int64_t>> all;
  for (const core::PortStall& stall :
       port_stalls(model, *evaluation->accelerator, model.compact(*evaluation->temporal_mapping)))
    all.emplace_back(stall.memory, stall.port, stall.cycles);
  return all;
}

}  // namespace

void bind_ports(py::module_& module) {
  module.def("port_stalls", stalls, py::arg("evaluation"), py::arg("compat"));
}

namespace {

/// The object of a view; `what` is for the message when it is another one.
template <class T>
std::shared_ptr<const T> object(const core::Value& value, const char* what) {
  std::shared_ptr<const T> found = value.as<T>();
  if (found == nullptr) throw py::type_error(std::string("this is no ") + what);
  return found;
}

py::dict parts_of(const core::ImcParts& parts) {
  py::dict all;
  all["cells"] = parts.cells;
  all["dacs"] = parts.dacs;
  all["adcs"] = parts.adcs;
  all["mults"] = parts.mults;
  all["adders_regular"] = parts.adders_regular;
  all["adders_pv"] = parts.adders_pv;
  all["accumulators"] = parts.accumulators;
  return all;
}

py::dict energies_of(const core::ImcEnergy& energy) {
  py::dict all;
  all["local_bl_precharging"] = energy.local_bl_precharging;
  all["dacs"] = energy.dacs;
  all["adcs"] = energy.adcs;
  all["mults"] = energy.mults;
  all["analog_bl_addition"] = energy.analog_bl_addition;
  all["adders_regular"] = energy.adders_regular;
  all["adders_pv"] = energy.adders_pv;
  all["accumulators"] = energy.accumulators;
  return all;
}

/// Area (mm2), clock (ns) and peak energy (pJ/cycle) by component, and the peak rates.
py::dict imc_figures(const core::Value& value, const std::string& compat) {
  const auto accelerator = object<core::Accelerator>(value, "accelerator");
  const core::ImcArray array(*accelerator, core::rules_of(compat));
  const core::ImcPeak peak = array.peak();
  py::dict all;
  all["area"] = parts_of(array.area());
  all["clock"] = parts_of(array.clock());
  all["energy"] = energies_of(peak.energy);
  all["tera_per_second"] = peak.tera_per_second;
  all["tera_per_watt"] = peak.tera_per_watt;
  all["tera_per_area"] = peak.tera_per_area;
  return all;
}

}  // namespace

void bind_imc(py::module_& module) {
  module.def("imc_figures", imc_figures, py::arg("accelerator"), py::arg("compat"));
}

}  // namespace zz::python
