#pragma once
#include <string>
#include <vector>

namespace zz::host {

enum class Outcome { passed, failed, unchecked };

/// One check's look at one rule.
struct Observation {
  std::string rule;
  Outcome outcome = Outcome::passed;
  std::string where;  ///< "MyStage", or "" for the library as a whole
  std::string seen;   ///< the finding, or why it could not be checked
};

/// Writes down what a check sees, at once and through a file, so that it is known when the check crashes.
class Findings {
 public:
  explicit Findings(int file) : file_(file) {}

  /// Whom the findings that follow are about: the name of a stage, or "" for the library.
  void about(std::string stage) { stage_ = std::move(stage); }
  /// Tells the next step, for the case that it does not end: "pull with room for 7".
  void doing(const std::string& what);
  const std::string& current() const { return doing_; }

  void passed(const char* rule, const std::string& seen) { write(rule, Outcome::passed, seen); }
  void failed(const char* rule, const std::string& seen) { write(rule, Outcome::failed, seen); }
  void unchecked(const char* rule, const std::string& why) { write(rule, Outcome::unchecked, why); }
  /// Why the stage cannot be run: the reason for every rule that needs a run.
  void not_run(const std::string& why) { write(rule_of_all, Outcome::unchecked, why); }
  static constexpr const char* rule_of_all = "*";
  /// The check went to its end.
  void finished();

 private:
  void write(const char* rule, Outcome outcome, const std::string& seen);
  void send(const std::string& line) const;

  int file_;
  std::string stage_, doing_;
};

/// The findings of a check, read back.
struct FindingsRead {
  std::vector<Observation> observations;
  std::string where, doing;
  bool finished = false;
};
FindingsRead read_findings(const std::string& text);

}  // namespace zz::host
