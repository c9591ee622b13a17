#pragma once
#include <span>
#include <string>

namespace zz::host {

/// A page about the program itself, as a resource of MCP.
struct Page {
  const char* uri;
  const char* name;
  const char* doc;
  const char* type;  ///< of its content, as "text/markdown"
  std::string (*text)();
};

std::span<const Page> pages();

/// docs/values.md. The build makes it.
std::string values_page();

}  // namespace zz::host
