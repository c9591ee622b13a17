#pragma once
#include <span>
#include <string>

#include "host/serve/session.hpp"

namespace zz::host {

/// A parameter of a method. Types are those of JSON Schema; "any" is every value.
struct MethodParameter {
  const char* name;
  const char* type;
  const char* doc;
  bool required = false;
  const char* allowed = "";  ///< "json|text"; "" when every value is
};

/// A method that works on the session, in the order in which requests come.
struct Method {
  const char* name;
  const char* doc;
  Json (Session::*call)(const Json& params, Run& run);
  std::span<const MethodParameter> parameters;
  bool changes_nothing = false;  ///< neither the session nor files
  bool loads_code = false;       ///< of the pipeline, where the server allows it
  bool idempotent = false;       ///< the same call once more changes nothing further
};

/// The methods of the session, which are also the tools of MCP.
std::span<const Method> methods();
/// The same for the resources of MCP.
std::span<const Method> resource_methods();

/// nullptr when there is none.
const Method* find_method(std::span<const Method> methods, const std::string& name);
/// "did you mean 'run'?"
std::string nearest_method(const std::string& name);

/// Throws RpcError for parameters that the method does not take.
void check_parameters(const Method& method, const Json& params);

/// The parameters as JSON Schema.
Json schema_of(const Method& method);

}  // namespace zz::host
