// zz/testing/host.hpp - the host in memory: runs one stage over a chain that the test defines.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zz/stage.hpp"
#include "zz/testing/below.hpp"
#include "zz/testing/values.hpp"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

struct Outcome {
  std::vector<Result> results;
  zz_status code = ZZ_OK;  // of create, open or the last pull
  std::string message;
  bool is_final = true;  // the pull after the end or the failure said the same
};

// Way to pull a stage.
struct Pulling {
  uint32_t cap = 1;            // results asked for at a time
  uint32_t most = UINT32_MAX;  // pulls before the stream is closed
};

class Host {
 public:
  Host() {
    current() = this;
    detail::meet(&table());
    values_table().look(nullptr);  // makes the one null node, so that live_values() counts what comes later
  }
  ~Host() { current() = nullptr; }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  ChainBelow below;                                            // the chain below the stage under test
  std::map<std::string, ChainBelow, std::less<>> chains;       // those that are settings, by their names
  Fault fault;                                                 // the fault in any of them
  std::map<std::string, const void*, std::less<>> extensions;  // further tables by id, such as ZZ_PROGRESS
  std::string log;                                             // the stage's log, one line each
  std::map<std::string, std::string> files;                    // written by the stage
  std::map<std::string, Value> inputs;     // files that it can read or load, path to contents, which
                                           // are a text where it is read whole; texts by name
  std::map<std::string, uint64_t> counts;  // counted by the stage
  std::map<std::string, Value> answers;    // kept by the stage, by the JSON of the question
  std::map<std::string, Value> tables;     // reported by the stage, {columns, rows} by title
  // Answers of programs that it runs, the network with the entries of a mapping file, the allocation of a
  // loop order, and the reason why a mapping cannot be (empty: it can). They may throw Error. One that is
  // not there is a service that the host lacks.
  std::function<zz::Answer(std::span<const std::string> command, std::string_view input)> program;
  std::function<Value(Ref network, Ref mapping_file)> chosen;
  std::function<Value(const Value& ctx, Ref order)> allocated;
  std::function<std::string(const Value& ctx, Ref mapping)> wrong_with;
  static int64_t live_values() { return Node::live; }
  static int64_t live_references() { return References::all; }
  // True if the last call of `run` reached the fault.
  bool fault_struck() const { return clock_.struck(); }
  // True if it was interrupted (Fault::cancel) and the stage has taken that (zz::take_interruption).
  bool interruption_taken() const { return clock_.taken(); }

  // Creates the stage `name`, opens it once, and pulls until it ends or fails.
  Outcome run(const zz_plugin& plugin, std::string_view name, std::initializer_list<Entry> settings = {},
              const Value& ctx = make({{"layer", nullptr}}), Pulling pulling = {}) {
    return run(plugin, name, make(nullptr, settings), ctx, pulling);
  }
  Outcome run(const zz_plugin& plugin, std::string_view name, const Value& settings, const Value& ctx,
              Pulling pulling) {
    clock_ = FaultClock(fault);
    Outcome outcome;
    zz_error err;
    const zz_stage_desc& desc = find(plugin, name);
    zz_stage* stage = nullptr;
    const auto done = [&](zz_status code) {
      outcome.code = code;
      if (code != ZZ_OK) outcome.message = err.text;
      if (stage) desc.destroy(stage);
      return std::move(outcome);
    };
    zz_status code = plugin.init ? plugin.init(&table(), &err) : ZZ_OK;
    if (code == ZZ_OK)
      code = desc.create(&table(), settings.raw(), reinterpret_cast<zz_place*>(this), &stage, &err);
    zz_stream stream{};
    if (code == ZZ_OK) code = desc.open(stage, ctx.handle(), &stream, &err);
    if (code != ZZ_OK) return done(code);
    bool over = false;
    for (uint32_t pulls = 0; pulls < pulling.most && !over; ++pulls) {
      code = pull(stream, pulling.cap, outcome, err);
      over = code != ZZ_OK || last_count_ == 0;
    }
    if (over) {
      zz_error again;
      outcome.is_final = pull(stream, pulling.cap, outcome, again) == code && last_count_ == 0;
    }
    stream.close(&stream);
    return done(code);
  }

  static const zz_stage_desc& find(const zz_plugin& plugin, std::string_view name) {
    for (uint32_t i = 0; i < plugin.n_stages; ++i)
      if (plugin.stages[i]->name == name) return *plugin.stages[i];
    throw std::out_of_range(std::string(name));
  }

  static const zz_host& table() {
    static const zz_host host{
        .size = sizeof(zz_host),
        .abi_major = ZZ_ABI_MAJOR,
        .abi_minor = ZZ_ABI_MINOR,
        .name = "zz-testing",
        .version = "0",
        .build = "testing",
        .get_extension = &get_extension,
        .fail = [](zz_error* err, zz_status code, const char* text,
                   size_t n) noexcept { testing::fail(err, code, std::string(text, n)); },
        .failure = []() noexcept -> zz_value* {
          return make(nullptr, {{"code", last_failure.code}, {"message", last_failure.text}}).release();
        },
        .fail_as =
            [](zz_error* err, const zz_value* failure) noexcept {
              const Ref known(Node::of(failure)->ref());
              testing::fail(err, static_cast<zz_status>(known["code"].i64()),
                            std::string(known["message"].str()));
            },
        .open = &open};
    return host;
  }

 private:
  static Host*& current() {
    static Host* host = nullptr;
    return host;
  }
  zz_status pull(zz_stream& stream, uint32_t cap, Outcome& outcome, zz_error& err) {
    std::vector<zz_result> buffer(cap);
    const zz_status code = stream.pull(&stream, buffer.data(), cap, &last_count_, &err);
    for (uint32_t i = 0; i < last_count_; ++i)
      outcome.results.push_back({Value::take(buffer[i].evaluation), Value::take(buffer[i].extra)});
    return code;
  }
  static zz_status open(zz_place* at, zz_value* ctx, zz_stream* out, zz_error* err) noexcept {
    Host& host = *current();
    const ChainBelow* chain = &host.below;
    for (const auto& setting : host.chains)
      if (at == place_of(setting)) chain = &setting.second;
    if (!*chain) return testing::fail(err, ZZ_E_UNSUPPORTED, "there is nothing below");
    *out = Answering::open((*chain)(Value::share(ctx)), host.clock_);
    return ZZ_OK;
  }
  template <class Setting>
  static zz_place* place_of(const Setting& setting) {
    return reinterpret_cast<zz_place*>(const_cast<Setting*>(&setting));
  }
  static zz_place* nested_place(zz_place*, zz_name setting) noexcept {
    const auto found = current()->chains.find(Names::all().texts[setting]);
    return found == current()->chains.end() ? nullptr : place_of(*found);
  }
  // One stage, which is called like the setting.
  static zz_value* describe(zz_place* above, zz_value*, zz_error* err) noexcept {
    for (const auto& setting : current()->chains)
      if (above == place_of(setting)) return make(list({Literal({{"stage", setting.first}})})).release();
    testing::fail(err, ZZ_E_INTERNAL, "zz_nested.describe wants the place above a chain, and a context");
    return nullptr;
  }
  // Which says nothing of what it makes.
  static zz_value* makes(zz_place*, zz_value*, zz_error*) noexcept {
    return make(list({Value()})).release();
  }
  static const void* get_extension(const char* id) noexcept {
    static const zz_log log{sizeof(zz_log), [](int32_t) noexcept -> int32_t { return 1; },
                            [](zz_place*, int32_t, const char* text, size_t n) noexcept {
                              current()->log.append(text, n).append("\n");
                            }};
    static const zz_cancel cancel{
        sizeof(zz_cancel), []() noexcept -> int32_t { return current() && current()->clock_.cancelled(); },
        []() noexcept {
          if (current()) current()->clock_.take();
        }};
    static const zz_output output{
        sizeof(zz_output),
        [](zz_place*, zz_str path, const char* data, size_t n, zz_error*) noexcept -> zz_status {
          current()->files[std::string(path.p, path.n)].assign(data, n);
          return ZZ_OK;
        }};
    static const zz_input input{sizeof(zz_input), &read_input, &parse_input, &load_input,
                                &choose_entries,  &read_whole, &read_whole};
    static const zz_mappings mappings{sizeof(zz_mappings), &allocate_order, &check_mapping};
    static const zz_report report{sizeof(zz_report), &keep_table};
    static const zz_process process{sizeof(zz_process), &run_program};
    static const zz_answers answers_table{sizeof(zz_answers), &find_answer, &keep_answer};
    static const zz_nested nested{sizeof(zz_nested), &nested_place, &describe, &makes};
    static const zz_progress progress{sizeof(zz_progress),
                                      [](zz_place*, const char*, size_t, uint64_t) noexcept {},
                                      [](zz_place*, uint64_t) noexcept {}, [](zz_place*) noexcept {},
                                      [](zz_place*, const char* what, size_t n, uint64_t amount) noexcept {
                                        current()->counts[std::string(what, n)] += amount;
                                      }};
    const std::string_view wanted(id);
    const auto it = current()->extensions.find(wanted);
    if (it != current()->extensions.end()) return it->second;
    if (wanted == ZZ_VALUES) return &values_table();
    if (wanted == ZZ_LOG) return &log;
    if (wanted == ZZ_CANCEL) return &cancel;
    if (wanted == ZZ_OUTPUT) return &output;
    if (wanted == ZZ_INPUT) return &input;
    if (wanted == ZZ_NESTED) return &nested;
    if (wanted == ZZ_PROGRESS) return &progress;
    if (wanted == ZZ_MAPPINGS) return &mappings;
    if (wanted == ZZ_REPORT) return &report;
    if (wanted == ZZ_PROCESS) return &process;
    if (wanted == ZZ_ANSWERS) return &answers_table;
    return nullptr;
  }

  static zz_value* read_input(zz_place*, zz_str path, int32_t, const zz_param*, uint32_t,
                              zz_error* err) noexcept {
    const std::string name(path.p, path.n);
    const auto& inputs = current()->inputs;
    const auto found = inputs.find(name);
    if (found != inputs.end()) return Value(found->second).release();
    std::string known;
    for (const auto& [other, contents] : inputs) known += (known.empty() ? "; known: " : ", ") + other;
    testing::fail(err, ZZ_E_INVALID, name + ": error: the inputs of this host have no such file" + known);
    return nullptr;
  }

  static zz_value* parse_input(zz_place* at, zz_str, zz_str, zz_str name, zz_error* err) noexcept {
    return read_input(at, name, ZZ_NULL, nullptr, 0, err);
  }
  static zz_value* load_input(zz_place* at, zz_str, zz_str path, zz_error* err) noexcept {
    return read_input(at, path, ZZ_NULL, nullptr, 0, err);
  }

  static zz_value* read_whole(zz_place* at, zz_str path, zz_error* err) noexcept {
    return read_input(at, path, ZZ_NULL, nullptr, 0, err);
  }
  static std::string text_of(zz_ref question) {
    return std::string(Value::take(values_table().json(question, nullptr)).str());
  }
  static zz_status find_answer(zz_place*, zz_ref question, zz_str, zz_value** out, zz_error*) noexcept {
    const auto found = current()->answers.find(text_of(question));
    *out = found == current()->answers.end() ? nullptr : Value(found->second).release();
    return ZZ_OK;
  }
  static zz_status keep_answer(zz_place*, zz_ref question, zz_ref answer, zz_str, zz_error*) noexcept {
    const Value kept = make({{"answer", Ref(answer)}});
    current()->answers[text_of(question)] = kept.hold(kept["answer"]);
    return ZZ_OK;
  }

  // The value of `call`, or nothing when it throws or the host lacks the service.
  template <class Call>
  static zz_value* given(bool offered, zz_error* err, const Call& call) noexcept {
    try {
      if (offered) return call().release();
      testing::fail(err, ZZ_E_UNSUPPORTED, "this host does not offer that");
    } catch (const Error& error) {
      testing::fail(err, error.code, error.what());
    }
    return nullptr;
  }
  static zz_value* choose_entries(zz_place*, zz_ref network, zz_ref mapping_file, zz_error* err) noexcept {
    const auto& chosen = current()->chosen;
    return given(static_cast<bool>(chosen), err, [&] { return chosen(Ref(network), Ref(mapping_file)); });
  }
  static zz_value* allocate_order(zz_place*, zz_value* ctx, zz_ref order, int32_t, zz_error* err) noexcept {
    const auto& allocated = current()->allocated;
    return given(static_cast<bool>(allocated), err,
                 [&] { return allocated(Value::share(ctx), Ref(order)); });
  }
  static zz_status check_mapping(zz_place*, zz_value* ctx, zz_ref mapping, zz_error* err) noexcept {
    const auto& wrong_with = current()->wrong_with;
    Value wrong = Value::take(given(static_cast<bool>(wrong_with), err, [&] {
      return make({{"wrong", wrong_with(Value::share(ctx), Ref(mapping))}});
    }));
    if (!wrong) return last_failure.code;
    const std::string text(wrong["wrong"].str());
    return text.empty() ? ZZ_OK : testing::fail(err, ZZ_E_NO_RESULT, text);
  }
  static zz_status keep_table(zz_place*, zz_str title, zz_ref columns, zz_ref rows, zz_error*) noexcept {
    current()->tables[std::string(title.p, title.n)] =
        make({{"columns", Ref(columns)}, {"rows", Ref(rows)}});
    return ZZ_OK;
  }
  static zz_value* run_program(zz_place*, const zz_str* argv, uint32_t n, zz_str input, zz_str, double,
                               zz_error* err) noexcept {
    const auto& program = current()->program;
    return given(static_cast<bool>(program), err, [&] {
      std::vector<std::string> command;
      for (uint32_t i = 0; i < n; ++i) command.emplace_back(argv[i].p, argv[i].n);
      const zz::Answer answer = program(command, {input.p, input.n});
      return make({{"status", answer.status}, {"output", answer.output}, {"errors", answer.errors}});
    });
  }

  FaultClock clock_{Fault{}};
  uint32_t last_count_ = 0;
};

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
