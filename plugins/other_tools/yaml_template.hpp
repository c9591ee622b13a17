#pragma once
#include <map>
#include <string>

namespace zz::plugins {

/// Values of the names of a template, as texts.
using TemplateValues = std::map<std::string, std::string>;

/// The least of Jinja's templates with their values in place: lines "{% set NAME = VALUE %}" and
/// "{% set NAME = NAME | default(VALUE) %}", and "{{NAME}}" or an expression of numbers between such
/// brackets. `given` comes before the defaults. Lines keep their numbers. Throws InputError with the place
/// of everything else: loops, conditions, files that are included, names that nothing gives.
std::string expanded_template(const std::string& text, const std::string& path,
                              const TemplateValues& given);

}  // namespace zz::plugins
