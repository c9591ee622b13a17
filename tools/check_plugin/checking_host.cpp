#include "tools/check_plugin/checking_host.hpp"

#include <string_view>

#include "core/value/name.hpp"
#include "host/boundary/answers.hpp"
#include "host/boundary/host_table.hpp"
#include "host/boundary/input.hpp"
#include "host/boundary/mappings.hpp"
#include "host/boundary/parallel.hpp"
#include "host/boundary/process.hpp"
#include "host/boundary/value_tables.hpp"
#include "host/chain/score.hpp"
#include "host/chain/stage_call.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"

/// Every function here has the contract of the one of the same name in stage_abi.h, and calls the real one.
namespace zz::host {
namespace {

CheckingHost* self = nullptr;

zz_status refuse(zz_error* error) {
  return tell_caller(make_failure(ZZ_E_INTERNAL, "called with a value that the plugin does not hold", ""),
                     error);
}

bool literals_usable(const zz_lit* literals, std::size_t n, const char* by) {
  for (std::size_t i = 0; literals != nullptr && i < n; ++i) {
    const zz_lit& literal = literals[i];
    if (literal.kind == ZZ_LIT_OWN && !self->ledger.usable(literal.u.own, by)) return false;
    if ((literal.kind == ZZ_LIST || literal.kind == ZZ_MAP) &&
        !literals_usable(static_cast<const zz_lit*>(literal.u.a.p), literal.u.a.n, by))
      return false;
  }
  return true;
}

std::string given_by(const char* function) {
  return std::string(function) + " in " + self->findings.current();
}

// ------------------------------------------------------------------------------------------- zz_values

zz_ref get(zz_ref ref, zz_name name) noexcept {
  const bool context = self->is_context_ref(ref);
  if (context) self->use.read.emplace(core::text_of(core::steps_of(name).front()));
  return values_table.get(ref, name);
}

void table(zz_value* const* values, std::uint32_t n, const zz_name* names, std::uint32_t m,
           double* out) noexcept {
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!self->ledger.usable(values[i], "calls zz_values.table")) return;
  }
  values_table.table(values, n, names, m, out);
}

zz_ref look(const zz_value* value) noexcept {
  if (!self->ledger.usable(value, "calls zz_values.look")) return values_table.look(nullptr);
  const zz_ref ref = values_table.look(value);
  if (value != nullptr && is_context(value->value)) self->know_context(ref);
  return ref;
}

zz_value* retain_value(zz_value* value) noexcept {
  if (!self->ledger.usable(value, "calls zz_values.retain")) return nullptr;
  self->ledger.give(value, given_by("zz_values.retain"));
  return values_table.retain(value);
}

void release_value(zz_value* value) noexcept {
  if (self->ledger.take(value, "releases")) values_table.release(value);
}

zz_value* hold(zz_value* root, zz_ref part) noexcept {
  if (!self->ledger.usable(root, "calls zz_values.hold")) return nullptr;
  zz_value* held = values_table.hold(root, part);
  self->ledger.give(held, given_by("zz_values.hold"));
  return held;
}

zz_value* make(const char* type, const zz_lit* literal, zz_error* error) noexcept {
  if (!literals_usable(literal, 1, "calls zz_values.make")) return refuse(error), nullptr;
  zz_value* made = values_table.make(type, literal, error);
  self->ledger.give(made, given_by("zz_values.make"));
  return made;
}

zz_value* with(zz_value* base, const zz_lit* edits, std::uint32_t n, zz_error* error) noexcept {
  if (!self->ledger.usable(base, "calls zz_values.with") ||
      !literals_usable(edits, n, "calls zz_values.with"))
    return refuse(error), nullptr;
  zz_value* made = values_table.with(base, edits, n, error);
  self->ledger.give(made, given_by("zz_values.with"));
  return made;
}

zz_value* json(zz_ref ref, zz_error* error) noexcept {
  zz_value* made = values_table.json(ref, error);
  self->ledger.give(made, given_by("zz_values.json"));
  return made;
}

zz_values checked_values() {
  zz_values checked = values_table;
  checked.get = get;
  checked.table = table;
  checked.look = look;
  checked.retain = retain_value;
  checked.release = release_value;
  checked.hold = hold;
  checked.make = make;
  checked.with = with;
  checked.json = json;
  return checked;
}
const zz_values values = checked_values();

// -------------------------------------------------------------------------- other tables with references

zz_value* sum(zz_value* const* evaluations, std::uint32_t n, zz_error* error) noexcept {
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!self->ledger.usable(evaluations[i], "calls zz_evaluations.sum")) return refuse(error), nullptr;
  }
  zz_value* made = evaluations_table.sum(evaluations, n, error);
  self->ledger.give(made, given_by("zz_evaluations.sum"));
  return made;
}

zz_value* scale(zz_value* evaluation, double factor, zz_error* error) noexcept {
  if (!self->ledger.usable(evaluation, "calls zz_evaluations.scale")) return refuse(error), nullptr;
  zz_value* made = evaluations_table.scale(evaluation, factor, error);
  self->ledger.give(made, given_by("zz_evaluations.scale"));
  return made;
}
const zz_evaluations evaluations{sizeof(zz_evaluations), sum, scale};

zz_value* read_input(zz_place* at, zz_str path, std::int32_t form, const zz_param* settings,
                     std::uint32_t n, zz_error* error) noexcept {
  zz_value* read = input_table.read(at, path, form, settings, n, error);
  self->ledger.give(read, given_by("zz_input.read"));
  return read;
}

zz_value* parse_input(zz_place* at, zz_str type, zz_str text, zz_str name, zz_error* error) noexcept {
  zz_value* read = input_table.parse(at, type, text, name, error);
  self->ledger.give(read, given_by("zz_input.parse"));
  return read;
}

zz_value* load_input(zz_place* at, zz_str type, zz_str path, zz_error* error) noexcept {
  zz_value* read = input_table.load(at, type, path, error);
  self->ledger.give(read, given_by("zz_input.load"));
  return read;
}

zz_value* choose_entries(zz_place* at, zz_ref network, zz_ref mapping_file, zz_error* error) noexcept {
  zz_value* chosen = input_table.choose(at, network, mapping_file, error);
  self->ledger.give(chosen, given_by("zz_input.choose"));
  return chosen;
}
zz_value* read_text(zz_place* at, zz_str path, zz_error* error) noexcept {
  zz_value* read = input_table.text(at, path, error);
  self->ledger.give(read, given_by("zz_input.text"));
  return read;
}

zz_value* read_bytes(zz_place* at, zz_str path, zz_error* error) noexcept {
  zz_value* read = input_table.bytes(at, path, error);
  self->ledger.give(read, given_by("zz_input.bytes"));
  return read;
}
const zz_input input{sizeof(zz_input), read_input, parse_input, load_input,
                     choose_entries,   read_text,  read_bytes};

zz_value* mapping_of_order(zz_scorer* scorer, const zz_order* order, zz_error* error) noexcept {
  zz_value* made = score_table.mapping(scorer, order, error);
  self->ledger.give(made, given_by("zz_score.mapping"));
  return made;
}
const zz_score score{sizeof(zz_score), score_table.bind,   score_table.score, score_table.unbind,
                     score_table.same, score_table.orders, mapping_of_order};

/// Nothing is written: answers are kept for the run alone.
zz_status find_answer(zz_place* at, zz_ref question, zz_str, zz_value** out, zz_error* error) noexcept {
  const zz_status status = answers_table.find(at, question, {nullptr, 0}, out, error);
  if (status == ZZ_OK) self->ledger.give(*out, given_by("zz_answers.find"));
  return status;
}
zz_status keep_answer(zz_place* at, zz_ref question, zz_ref answer, zz_str, zz_error* error) noexcept {
  return answers_table.keep(at, question, answer, {nullptr, 0}, error);
}
const zz_answers answers{sizeof(zz_answers), find_answer, keep_answer};

zz_value* allocate(zz_place* at, zz_value* context, zz_ref order, std::int32_t even,
                   zz_error* error) noexcept {
  if (!self->ledger.usable(context, "calls zz_mappings.allocate")) return refuse(error), nullptr;
  zz_value* made = mappings_table.allocate(at, context, order, even, error);
  self->ledger.give(made, given_by("zz_mappings.allocate"));
  return made;
}

zz_status check_mapping(zz_place* at, zz_value* context, zz_ref mapping, zz_error* error) noexcept {
  if (!self->ledger.usable(context, "calls zz_mappings.check")) return refuse(error);
  return mappings_table.check(at, context, mapping, error);
}
const zz_mappings mappings{sizeof(zz_mappings), allocate, check_mapping};

zz_value* run_program(zz_place* at, const zz_str* argv, std::uint32_t n, zz_str given, zz_str folder,
                      double seconds, zz_error* error) noexcept {
  zz_value* answer = process_table.run(at, argv, n, given, folder, seconds, error);
  self->ledger.give(answer, given_by("zz_process.run"));
  return answer;
}
const zz_process process{sizeof(zz_process), run_program};

zz_value* describe(zz_place* above, zz_value* context, zz_error* error) noexcept {
  if (!self->ledger.usable(context, "calls zz_nested.describe")) return refuse(error), nullptr;
  const auto& real = *static_cast<const zz_nested*>(host_table().get_extension(ZZ_NESTED));
  zz_value* made = real.describe(above, context, error);
  self->ledger.give(made, given_by("zz_nested.describe"));
  return made;
}
zz_place* nested_place(zz_place* at, zz_name setting) noexcept {
  return static_cast<const zz_nested*>(host_table().get_extension(ZZ_NESTED))->place(at, setting);
}
zz_value* what_is_made(zz_place* above, zz_value* context, zz_error* error) noexcept {
  if (context != nullptr && !self->ledger.usable(context, "calls zz_nested.makes"))
    return refuse(error), nullptr;
  const auto& real = *static_cast<const zz_nested*>(host_table().get_extension(ZZ_NESTED));
  zz_value* made = real.makes(above, context, error);
  self->ledger.give(made, given_by("zz_nested.makes"));
  return made;
}
const zz_nested nested{sizeof(zz_nested), nested_place, describe, what_is_made};

zz_value* wrap(const void* core_value) noexcept {
  zz_value* made = internal_table.wrap(core_value);
  self->ledger.give(made, given_by("the internal tier"));
  return made;
}
/// Nothing is written.
zz_status claim_file(zz_place*, zz_str, zz_error*) noexcept { return ZZ_OK; }
const zz_internal internal{sizeof(zz_internal),
                           internal_table.value,
                           wrap,
                           internal_table.cost_model,
                           internal_table.take_interruption,
                           internal_table.files,
                           internal_table.answers,
                           internal_table.interrupted,
                           claim_file};

// --------------------------------------------------------- what would be seen outside, or needs threads

std::int32_t enabled(std::int32_t) noexcept { return 1; }
void write_log(zz_place*, std::int32_t, const char*, std::size_t) noexcept {}
const zz_log log{sizeof(zz_log), enabled, write_log};

zz_status write_file(zz_place*, zz_str, const char*, std::size_t, zz_error*) noexcept { return ZZ_OK; }
const zz_output output{sizeof(zz_output), write_file};

struct Backwards {
  void (*body)(void*, std::uint32_t);
  void* user;
  std::uint32_t last;
};

void for_each(std::uint32_t n, void (*body)(void*, std::uint32_t), void* user) noexcept {
  if (!self->backwards_loops || n == 0 || body == nullptr) {
    parallel_table.for_each(n, body, user);
    return;
  }
  Backwards loop{body, user, n - 1};
  parallel_table.for_each(
      n,
      [](void* all, std::uint32_t i) {
        const auto& backwards = *static_cast<Backwards*>(all);
        backwards.body(backwards.user, backwards.last - i);
      },
      &loop);
}
const zz_parallel parallel{sizeof(zz_parallel), parallel_table.width, for_each};

// --------------------------------------------------------------------------------------------- zz_host

const void* get_extension(const char* id) noexcept {
  const void* real = host_table().get_extension(id);
  if (real == nullptr) return nullptr;
  const std::string_view wanted(id);
  if (wanted == ZZ_VALUES) return &values;
  if (wanted == ZZ_EVALUATIONS) return &evaluations;
  if (wanted == ZZ_INPUT) return &input;
  if (wanted == ZZ_NESTED) return &nested;
  if (wanted == ZZ_MAPPINGS) return &mappings;
  if (wanted == ZZ_SCORE) return &score;
  if (wanted == ZZ_ANSWERS) return &answers;
  if (wanted == ZZ_PROCESS) return &process;
  if (wanted == ZZ_LOG) return &log;
  if (wanted == ZZ_OUTPUT) return &output;
  if (wanted == ZZ_PARALLEL) return &parallel;
  if (wanted.substr(0, sizeof ZZ_INTERNAL - 1) == ZZ_INTERNAL) return &internal;
  return real;
}

zz_value* failure() noexcept {
  zz_value* given = host_table().failure();
  self->ledger.give(given, given_by("zz_host.failure"));
  return given;
}

void fail_as(zz_error* error, const zz_value* failure) noexcept {
  if (self->ledger.usable(failure, "calls zz_host.fail_as")) host_table().fail_as(error, failure);
}

zz_status open(zz_place* at, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  if (out != nullptr) *out = zz_stream{};
  const auto blame = [&](const char* what) {
    self->findings.failed("S3", self->findings.current() + ": " + what);
    return tell_caller(make_failure(ZZ_E_INTERNAL, what, ""), error);
  };
  if (at == nullptr || out == nullptr) return blame("opens the chain below without a place or a stream");
  if (!self->ledger.usable(context, "opens the chain below")) return refuse(error);
  if (context == nullptr || !is_context(context->value))
    return blame("opens the chain below with something that is no context");
  if (at == self->place) self->use.opened_below = true;
  if (at == self->place || at->stands_for_setting) self->note_handed_down(context->value);
  if (const FailurePointer wrong = check_handed_down(*at, context->value); wrong != nullptr) {
    self->findings.failed("S9", self->findings.current() + ": " + wrong->message);
    return tell_caller(wrong, error);
  }
  if (hands_down_mappings(*at)) self->findings.passed("S9", "what it hands down can be mapped like that");
  if (at->below == nullptr) {
    return tell_caller(make_failure(ZZ_E_UNSUPPORTED, "there is no stage below the last one", at->label),
                       error);
  }
  return self->below.open("the made-up chain", at == self->place, out, error);
}

zz_host checked_host() {
  zz_host checked = host_table();
  checked.get_extension = get_extension;
  checked.failure = failure;
  checked.fail_as = fail_as;
  checked.open = open;
  return checked;
}

}  // namespace

CheckingHost::CheckingHost(Findings& findings)
    : findings(findings), ledger(findings), below(ledger, findings), table_(checked_host()) {
  self = this;
}
CheckingHost::~CheckingHost() { self = nullptr; }

void CheckingHost::know_context(zz_ref ref) { contexts_.insert({ref.word, ref.type}); }
bool CheckingHost::is_context_ref(zz_ref ref) const { return contexts_.count({ref.word, ref.type}) != 0; }

void CheckingHost::note_handed_down(const core::Value& context) {
  for (const core::Name key : context_keys(context)) {
    use.visible.emplace(core::text_of(key));
    if (context_layer_of(context, key).value_or(0) == 0) continue;
    use.handed.emplace(std::string(core::text_of(key)), *find_in_context(context, key));
  }
}

}  // namespace zz::host
