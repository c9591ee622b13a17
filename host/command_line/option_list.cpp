#include "host/command_line/option_list.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <type_traits>

#include "host/command_line/options.hpp"

namespace zz::host {
namespace {

namespace po = boost::program_options;

po::value_semantic* semantic_of(const char*, const char* value, std::string& into) {
  auto* const text = po::value<std::string>(&into)->value_name(value);
  return into.empty() ? text : text->default_value(into);
}

po::value_semantic* semantic_of(const char*, const char* value, std::vector<std::string>& into) {
  return po::value<std::vector<std::string>>(&into)->composing()->value_name(value);
}

template <class Number>
po::value_semantic* semantic_of(const char*, const char* value, std::optional<Number>& into) {
  return po::value<Number>()->value_name(value)->notifier([&into](Number given) { into = given; });
}

template <class T>
po::value_semantic* semantic_of(const char* name, const char* value, T& into) {
  if constexpr (std::is_arithmetic_v<T>) {
    return po::value<T>(&into)->default_value(into)->value_name(value);
  } else {
    const auto take = [&into, name](const std::string& when) {
      if (when != "auto" && when != "always" && when != "never")
        throw UsageError(fmt::format("--{} must be auto, always or never, but found '{}'", name, when));
      into = when == "auto" ? T::automatic : when == "always" ? T::always : T::never;
    };
    return po::value<std::string>()->default_value("auto")->notifier(take)->value_name(value);
  }
}

}  // namespace

void OptionList::add(const char* name, bool& into, const std::string& doc) {
  all_.add_options()(name, po::bool_switch(&into), doc.c_str());
  offered_.emplace_back();
}

template <class T>
void OptionList::add(const char* name, const char* value, T& into, const std::string& doc,
                     Candidates offered) {
  all_.add_options()(name, semantic_of(name, value, into), doc.c_str());
  offered_.push_back(std::move(offered));
}

#define ZZ_ADD(T) \
  template void OptionList::add(const char*, const char*, T&, const std::string&, Candidates);
ZZ_ADD(std::string)
ZZ_ADD(std::vector<std::string>)
ZZ_ADD(std::int64_t)
ZZ_ADD(unsigned)
ZZ_ADD(std::optional<std::int64_t>)
ZZ_ADD(std::optional<double>)
ZZ_ADD(ProgressMode)
ZZ_ADD(ColourMode)
#undef ZZ_ADD

}  // namespace zz::host
