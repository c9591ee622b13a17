#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zz/stage_abi.h"

namespace zz::host {

/// Reads the static tables of a plugin. No function here calls code of the plugin.

/// The parts of "a|b|c"; nothing for NULL or "".
std::vector<std::string> split_names(const char* names);

/// True when the name is one of those parts.
bool names_hold(const char* names, std::string_view name);

/// Every name that a pipeline file may use for the stage: short name, id, aliases.
std::vector<std::string> names_of(const zz_stage_desc& stage);

/// True when the stage has that name.
bool goes_by(const zz_stage_desc& stage, std::string_view name);

std::span<const zz_param> parameters_of(const zz_stage_desc& stage);
std::span<const zz_port> consumed_by(const zz_stage_desc& stage);
std::span<const zz_port> provided_by(const zz_stage_desc& stage);

/// The metrics that the stage describes; none for a plugin of a minor without that table.
std::span<const zz_metric> metrics_of(const zz_stage_desc& stage);

/// True when the settings of the stage name context keys (port "*").
bool provides_named_keys(const zz_stage_desc& stage);

/// True when the stage may change the metric: it declares the metric, a figure that the metric follows
/// from, or
/// "*".
bool writes_metric(const zz_stage_desc& stage, std::string_view metric);

/// The setting with that name or older spelling, or nullptr.
const zz_param* find_parameter(const zz_stage_desc& stage, std::string_view name);

/// A kind of value in the user's words: "text", "whole number", ...
std::string kind_name(std::int32_t kind);
/// The same for a port: the type of an object, else the kind.
std::string port_type_name(const zz_port& port);

/// The name of a file with stages for what outlives the process: classes that a program brings in memory
/// are files as "<Best 3>.py", and the next process, or the same cell of a notebook again, counts on:
/// "<Best>.py".
std::string lasting_name(std::string_view file);

/// `text`, or "" for NULL.
inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace zz::host
