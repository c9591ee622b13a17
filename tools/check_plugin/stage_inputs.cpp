#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/read.hpp"

#include "tools/check_plugin/damaged_file.hpp"
#include "tools/check_plugin/stage_checks.hpp"

namespace zz::host {
namespace {

namespace fs = std::filesystem;

/// By these one knows the texts of libraries: of the standard libraries of C++, of Rust and of Python.
constexpr std::array library_words = {"stoi",
                                      "stol",
                                      "stoll",
                                      "stoul",
                                      "stoull",
                                      "stof",
                                      "stod",
                                      "stold",
                                      "std::",
                                      "_M_",
                                      "basic_string",
                                      "basic_ios",
                                      "map::at",
                                      "bad optional access",
                                      "bad_variant_access",
                                      "bad_alloc",
                                      "regex_error",
                                      "Option::unwrap()",
                                      "Result::unwrap()",
                                      "index out of bounds",
                                      "invalid digit found in string",
                                      "invalid literal for int()",
                                      "could not convert string to float",
                                      "index out of range",
                                      "KeyError",
                                      "NoneType"};

bool in_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A library's word that is in the message; "" when none is.
std::string_view library_word_in(const std::string& message) {
  for (const std::string_view word : library_words) {
    for (std::size_t at = message.find(word); at != message.npos; at = message.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at == 0 || !in_a_word(message[at - 1]) || !in_a_word(word.front());
      if (begins && (end == message.size() || !in_a_word(message[end]) || !in_a_word(word.back())))
        return word;
    }
  }
  return "";
}

std::string words_of(const FailurePointer& failure) {
  std::string words;
  for (const Failure* one = failure.get(); one != nullptr; one = one->cause.get())
    words += (words.empty() ? "" : ": ") + one->message;
  return words;
}

/// The message's breach of rule F6; "" when there is none. It may name another one of several files, with
/// which the damaged one does not agree.
std::string wrong_with(const std::string& message, const std::vector<std::string>& files) {
  if (const std::string_view word = library_word_in(message); !word.empty())
    return fmt::format("it says '{}', in which '{}' is the text of a library", message, word);
  const bool named = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return message.find(file) != message.npos;
  });
  return named ? "" : fmt::format("it says '{}', which names no file", message);
}

/// A failure because of the file, and not because of what it says: nothing can be mapped like that.
bool refuses_the_file(const Trace& trace) {
  return trace.status != ZZ_OK && trace.status != ZZ_E_NO_RESULT && trace.status != ZZ_E_CANCELLED;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

/// Runs a stage over copies of one of its files.
class FileCheck {
 public:
  FileCheck(StageCalls& calls, Findings& findings, std::size_t setting)
      : calls_(calls),
        findings_(findings),
        setting_(setting),
        original_(calls.setup().path_of(setting)),
        name_(name_of(original_)),
        copy_((fs::current_path() / "copies" / name_).string()) {
    fs::create_directories(fs::path(copy_).parent_path());
    for (const std::size_t input : calls.setup().inputs)
      names_.push_back(name_of(calls.setup().path_of(input)));
  }

  void check() {
    const std::string whole = text_of(original_);
    const Trace as_given = calls_.run({});
    if (as_given.status != ZZ_OK)
      return findings_.unchecked("F6", fmt::format("{} as it is: {}", name_, words_of(as_given.failure)));
    if (run(whole, "").status != ZZ_OK)
      return findings_.unchecked("F6", fmt::format("{}: it cannot be read in another folder", name_));
    for (const DamagedCopy& damaged : damaged_copies(whole))
      judge(run(damaged.text, damaged.how), damaged.how);
    fs::remove(copy_);
    judge(run_copy("no file there"), "no file there");
    if (refused_ == 0)
      findings_.unchecked("F6", fmt::format("{}: whatever is wrong with it, the stage takes it", name_));
    else
      findings_.passed("F6", fmt::format("{} damaged copies of {} are refused in words", refused_, name_));
  }

 private:
  Trace run(const std::string& text, const std::string& how) {
    std::ofstream(copy_, std::ios::binary) << text;
    return run_copy(how);
  }
  Trace run_copy(const std::string& how) {
    const core::Value settings = calls_.setup().settings_with(setting_, copy_);
    StageCalls::Way way;
    way.settings = &settings;
    if (!how.empty()) way.around = fmt::format("given {} with {}", name_, how);
    return calls_.run(way);
  }
  void judge(const Trace& trace, const std::string& how) {
    if (!refuses_the_file(trace)) return;
    ++refused_;
    if (const std::string wrong = wrong_with(words_of(trace.failure), names_); !wrong.empty())
      findings_.failed("F6", fmt::format("given {} with {}: {}", name_, how, wrong));
  }

  StageCalls& calls_;
  Findings& findings_;
  std::size_t setting_;
  std::string original_, name_, copy_;
  std::vector<std::string> names_;  ///< of all files of the stage
  int refused_ = 0;
};

}  // namespace

void check_inputs(StageCalls& calls, Findings& findings) {
  for (const std::size_t setting : calls.setup().inputs) FileCheck(calls, findings, setting).check();
}

}  // namespace zz::host
