#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string>
#include <vector>

namespace zz::core::mlir {

/// A name of a value: "%5".
using Name = std::string;

/// A value as often as `times` says.
struct Term {
  Name value;
  std::int64_t times;
};

/// The lines of a function, with the constants that they use at its beginning.
class Lines {
 public:
  void line(const std::string& text) { body_ += std::string(2 * depth_, ' ') + text + "\n"; }
  void note(const std::string& text) { line("// " + text); }
  void open(const std::string& text) {
    line(text + " {");
    ++depth_;
  }
  void otherwise() { body_ += std::string(2 * (depth_ - 1), ' ') + "} else {\n"; }
  void close(int blocks = 1) {
    for (; blocks > 0; --blocks) {
      --depth_;
      line("}");
    }
  }
  Name let(const std::string& value) {
    Name name = fresh("v");
    line(name + " = " + value);
    return name;
  }
  Name fresh(const std::string& word) { return fmt::format("%{}_{}", word, ++named_); }
  Name constant(std::int64_t value, const std::string& type = "index") {
    Name name =
        fmt::format("%{}{}{}", type == "index" ? "c" : type + "_", value < 0 ? "m" : "", std::abs(value));
    constants_.try_emplace(name, fmt::format("arith.constant {} : {}", value, type));
    return name;
  }
  Name load(const std::string& place) { return let("memref.load " + place); }
  void store(const Name& value, const std::string& place) {
    line(fmt::format("memref.store {}, {}", value, place));
  }
  /// The sum of the terms, as a value.
  Name sum(std::vector<Term> terms, std::int64_t constant = 0) {
    terms.erase(std::remove_if(terms.begin(), terms.end(),
                               [](const Term& term) { return term.value.empty() || term.times == 0; }),
                terms.end());
    if (terms.empty()) return this->constant(constant);
    if (terms.size() == 1 && terms.front().times == 1 && constant == 0) return terms.front().value;
    std::vector<std::string> dimensions, products, values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      dimensions.push_back(fmt::format("d{}", i));
      products.push_back(terms[i].times == 1 ? dimensions.back()
                                             : fmt::format("d{} * {}", i, terms[i].times));
      values.push_back(terms[i].value);
    }
    if (constant != 0) products.push_back(std::to_string(constant));
    return let(fmt::format("affine.apply affine_map<({}) -> ({})>({})", fmt::join(dimensions, ", "),
                           fmt::join(products, " + "), fmt::join(values, ", ")));
  }
  std::string text() const {
    std::string text;
    for (const auto& [name, value] : constants_) text += fmt::format("  {} = {}\n", name, value);
    return text + body_;
  }

 private:
  std::string body_;
  std::map<Name, std::string> constants_;
  std::size_t depth_ = 1, named_ = 0;
};

}  // namespace zz::core::mlir
