#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "core/value/value.hpp"

namespace zz::core {

/// One result as the message of zz_archive.proto, for another process of the same zz. Throws ValueError for
/// what has no message (keys that are not UTF-8, values too deep inside of values).
std::string bytes_of_result(const Value& evaluation, const Value& extra);

/// The (evaluation, extra) in such bytes; objects are made and checked as user input would be. Throws
/// ValueError or InputError.
std::pair<Value, Value> result_of_bytes(std::string_view bytes);

}  // namespace zz::core
