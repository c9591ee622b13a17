#include "core/value/edit_session.hpp"

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/value/read.hpp"

namespace zz::core {

std::string Where::text() const {
  std::string above = parent ? parent->text() : "";
  if (element) return above + "[" + (index >= 0 ? std::to_string(index) : std::string(step)) + "]";
  if (step.empty()) return above;
  return above.empty() ? std::string(step) : above + "." + std::string(step);
}

void fail(const Where& where, ValueError::Problem problem, const std::string& message) {
  const std::string place = where.text();
  throw ValueError(problem, printable_line(place.empty() ? message : place + ": " + message));
}

void fail_expected(const Where& where, std::string_view expected, const Value& found) {
  fail(where, ValueError::Problem::wrong_type,
       "expected " + std::string(expected) + ", found " + describe(found.ref()));
}

void fail_no_such_part(const Where& above, Ref container, Name step) {
  container = look_through(container);
  const Kind kind = kind_of(container);
  const std::string_view name = text_of(step);
  const Where here{&above, name, -1, kind == Kind::list};
  if (kind != Kind::list && kind != Kind::map && kind != Kind::object)
    fail(above, ValueError::Problem::wrong_type,
         describe(container) + " has no part '" + std::string(name) + "'");
  if (kind == Kind::list && index_of_step(step) >= 0)
    fail(here, ValueError::Problem::missing,
         "there are only " + std::to_string(count_of(container)) + " elements, counted from 0");
  std::vector<std::string> known;
  for (std::uint32_t i = 0; i < count_of(container); ++i) {
    std::string_view key;
    Ref element = look_through(part_at(container, i, &key));
    if (kind == Kind::list) {
      const Type* type = element.type;
      if (type && *type->label) element = part(element, intern(type->label));
      if (!read_text(element, key)) continue;
    }
    known.emplace_back(key);
  }
  const std::string hint = suggestion(name, known);
  fail(here, ValueError::Problem::missing,
       "no such part '" + std::string(name) + "'" +
           (known.empty() || hint.empty() ? "" : " (" + hint + ")"));
}

void* EditSession::writable(Value& value, const Where& where) {
  const Ref ref = value.ref();
  const auto address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(ref.word));
  for (const Value& fresh : fresh_)
    if (fresh.ref().word == ref.word && fresh.ref().type == ref.type) return address;
  if (ref.type->clone == nullptr || ref.type->edit == nullptr)
    fail(where, ValueError::Problem::wrong_type, describe(ref) + " cannot be changed");
  std::shared_ptr<void> copy = ref.type->clone(ref.word);
  void* const writable_address = copy.get();
  value = Value(std::move(copy), Ref{word_of(writable_address), ref.type});
  made(value);
  return writable_address;
}

void EditSession::edit(Value& value, std::span<const Name> steps, const Value* replacement,
                       const Where& where) {
  if (steps.empty()) {
    value = replacement ? *replacement : Value();
    return;
  }
  const Ref ref = value.ref();
  if (ref.type->edit == nullptr) fail_no_such_part(where, ref, steps.front());
  void* const object = writable(value, where);
  ref.type->edit(*this, object, steps, replacement, where);
}

namespace {

/// All problems of an object that was made in one line, as there is no file whose lines they could name.
std::string in_one_line(const std::vector<Diagnostic>& problems) {
  std::string line;
  for (const Diagnostic& problem : problems) {
    if (!line.empty()) line += "; ";
    line += problem.message;
    if (!problem.hint.empty()) line += " (" + problem.hint + ")";
  }
  return printable_line(std::move(line));
}

}  // namespace

void EditSession::validate() const {
  for (const Value& value : fresh_) {
    const Ref ref = value.ref();
    if (ref.type->validate == nullptr) continue;
    try {
      ref.type->validate(object_in<void>(ref));
    } catch (const InputError& error) {
      throw InputError(in_one_line(error.diagnostics()));
    }
  }
}

}  // namespace zz::core
