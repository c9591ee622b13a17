#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace zz::host {

/// The levels of zz_log.
enum class LogLevel : int { trace = 0, debug, info, warning, error, off };

/// A warning, and how often it was given.
struct Warning {
  std::string text;
  std::uint64_t count = 0;
};

/// The messages of a run. [any]
class Log {
 public:
  /// Takes each message that is shown, one at a time.
  using Writer = std::function<void(LogLevel, const std::string&)>;

  /// Shows messages from a level on. Before the run.
  void show(LogLevel least, Writer writer);
  LogLevel level() const { return least_; }

  /// An equal warning is only counted; so is one that differs in the layer alone, with what stands in
  /// brackets behind its name: "layer 'conv' (K 8 is cut to 6): ...". Information that equals the one
  /// before, as of the steps of a decoder, is shown once.
  void write(LogLevel level, const std::string& text);
  /// Writes how often each repeated warning came, at the end of a run.
  void write_repetitions();

  /// Small print on the results as a whole, for below them: neither a warning nor a message. Equal ones
  /// count once.
  void note(const std::string& text);
  std::vector<std::string> notes() const;

  /// The number of errors. A run with one has failed, but its results stand.
  std::size_t errors() const;
  std::vector<Warning> warnings() const;

 private:
  /// True when an equal warning was written before.
  bool repeated(const std::string& text);

  /// A warning of several layers.
  struct Told {
    std::size_t number = 0;           // among the warnings
    std::vector<std::string> layers;  // the first ones, with what is told of each in brackets
    bool others = false;
  };

  mutable std::mutex mutex_;
  Writer writer_;
  LogLevel least_ = LogLevel::off;
  std::vector<Warning> warnings_;               // in the order of their first times
  std::unordered_map<std::string, Told> told_;  // by their texts without layers
  std::vector<std::string> notes_;
  std::string last_information_;
  std::size_t errors_ = 0;
};

/// A writer on stderr. Where somebody watches, what is longer than 120 columns goes on below, indented; in
/// files and pipes a message is a line, so that it can be searched for.
Log::Writer write_on_terminal(bool colour, bool is_watched);

/// A text whose first line has lines of so many columns at most, unless a word is longer. `before`: columns
/// that stand before the first of them.
std::string in_columns(const std::string& text, std::size_t before, std::size_t columns);

/// Writes into the log of the current run. [any]
void log(LogLevel level, const std::string& text);
/// True if that log shows messages of the level. [any]
bool is_shown(LogLevel level);

/// Writes a line on stderr that is no message, in place of the progress of the current run. [any]
void write_line(const std::string& text);

}  // namespace zz::host
