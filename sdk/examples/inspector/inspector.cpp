// Shows what the stages above have made: writes the context to a JSON file and ends the run there.
#include <zz/stage.hpp>

struct InspectorStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.InspectorStage",
      .name = "InspectorStage",
      .summary = "Writes the context to a file and ends the run",
      .doc =
          "May be put anywhere into a pipeline. The stages below never start; as there is no result, the "
          "run ends with exit code 4. Of several openings the first one is shown."};

  std::string file;
  std::vector<std::string> show;
  static constexpr auto params = zz::params(
      zz::param<&InspectorStage::file>("file", "where to").required(),
      zz::param<&InspectorStage::show>("show", "parts to write, such as layer.loops; none: everything"));
  static constexpr zz::Port consumes[] = {zz::any_port("whatever there is")};

  bool shown = false;

  zz::Result run(zz::Value ctx) {
    if (!std::exchange(shown, true)) output(file, (show.empty() ? ctx : selection(ctx)).json() + "\n");
    throw zz::Error(ZZ_E_NO_RESULT, "ends the run here on purpose; the context is in '" + file + "'");
  }

  zz::Value selection(const zz::Value& ctx) const {
    std::vector<zz::Entry> parts;
    for (const std::string& path : show) {
      const zz::Ref part = ctx[path.c_str()];
      if (!part.exists())
        throw zz::Error(ZZ_E_INVALID, "the context has no '" + path + "', only " + keys(ctx));
      parts.emplace_back(path, part);
    }
    return zz::make(nullptr, std::span<const zz::Entry>(parts));
  }

  static std::string keys(const zz::Value& map) {
    std::string text;
    for (uint32_t i = 0; i < map.size(); ++i) text.append(i ? ", " : "").append(map.key(i));
    return text;
  }
};

ZZ_PLUGIN("org.example.inspector", InspectorStage)
