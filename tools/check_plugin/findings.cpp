#include "tools/check_plugin/findings.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace zz::host {
namespace {

using Json = nlohmann::json;

/// Texts of a plugin may be no UTF-8 at all.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void Findings::doing(const std::string& what) {
  doing_ = what;
  send(line_of({{"where", stage_}, {"doing", what}}));
}

void Findings::finished() { send(line_of({{"finished", true}})); }

void Findings::write(const char* rule, Outcome outcome, const std::string& seen) {
  send(
      line_of({{"rule", rule}, {"outcome", static_cast<int>(outcome)}, {"where", stage_}, {"seen", seen}}));
}

void Findings::send(const std::string& line) const {
  for (std::size_t sent = 0; sent < line.size();) {
    const auto written = ::write(file_, line.data() + sent, line.size() - sent);
    if (written <= 0) return;
    sent += static_cast<std::size_t>(written);
  }
}

FindingsRead read_findings(const std::string& text) {
  FindingsRead findings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("finished")) findings.finished = true;
    if (json.contains("doing")) {
      findings.where = json["where"];
      findings.doing = json["doing"];
    }
    if (!json.contains("rule")) continue;
    findings.observations.push_back(
        {json["rule"], static_cast<Outcome>(json["outcome"].get<int>()), json["where"], json["seen"]});
  }
  return findings;
}

}  // namespace zz::host
