#include <exception>
#include <string_view>

#include "plugins/python/interpreter.hpp"
#include "zz/stage_abi.h"

namespace {

const zz_plugin* load(const zz_host* host, zz_str path, zz_error* error) noexcept {
  try {
    static const auto* const files =
        static_cast<const zz_stage_files*>(zz::plugins::python_capsule("zz._zz.stage_files"));
    return files->load(host, path, error);
  } catch (const std::exception& problem) {
    const std::string_view text = problem.what();
    host->fail(error, ZZ_E_UNSUPPORTED, text.data(), text.size());
    return nullptr;
  }
}

const zz_stage_files stage_files = {sizeof stage_files, ".py", load};

const void* get_extension(const zz_stage*, const char* id) noexcept {
  return std::string_view(id) == ZZ_STAGE_FILES ? &stage_files : nullptr;
}

// The host replaces the stage by the class that it stands for.
zz_status create(const zz_host* host, zz_ref, zz_place*, zz_stage**, zz_error* error) noexcept {
  constexpr std::string_view text =
      "PythonStage stands for a class in a file: this host does not know such stages";
  host->fail(error, ZZ_E_UNSUPPORTED, text.data(), text.size());
  return ZZ_E_UNSUPPORTED;
}
void destroy(zz_stage*) noexcept {}
zz_status open(zz_stage*, zz_value*, zz_stream*, zz_error*) noexcept { return ZZ_E_UNSUPPORTED; }

constexpr zz_param settings[] = {
    {"file", ZZ_STR, ZZ_REQUIRED | ZZ_INPUT_PATH, nullptr, nullptr, nullptr,
     "The Python file with the class.", nullptr, nullptr},
    {"stage", ZZ_STR, ZZ_REQUIRED, nullptr, nullptr, nullptr,
     "The class: one that is derived from zz.Stage. Its settings stand beside this one.", nullptr,
     nullptr}};

constexpr zz_stage_desc python_stage = {
    .size = sizeof(zz_stage_desc),
    .flags = ZZ_STAGE_IN_FILE,
    .id = "org.zz.PythonStage",
    .name = "PythonStage",
    .aliases = nullptr,
    .summary = "A stage that is a class in a Python file",
    .doc =
        R"(Stands for a class in a Python file, derived from `zz.Stage`. Settings of the class are settings of this stage:
`- PythonStage: {file: my_stages.py, stage: MyStage, threshold: 3}`.
`zz-host describe MyStage --plugin my_stages.py` shows them. Needs the Python package zz.)",
    .params = settings,
    .n_params = 2,
    .n_consumes = 0,
    .consumes = nullptr,
    .provides = nullptr,
    .n_provides = 0,
    .n_writes = 0,
    .writes = nullptr,
    .create = create,
    .destroy = destroy,
    .open = open,
    .get_extension = get_extension,
    .metrics = nullptr,
    .n_metrics = 0};

constexpr const zz_stage_desc* stages[] = {&python_stage};

}  // namespace

extern "C" {
ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {.size = sizeof(zz_plugin),
                                .abi_major = ZZ_ABI_MAJOR,
                                .abi_minor = ZZ_ABI_MINOR,
                                .id = "org.zz.python",
                                .version = ZZ_PLUGIN_VERSION,
                                .vendor = "zz",
                                .license = "",
                                .url = nullptr,
                                .build = ZZ_BUILD_ID,
                                .init = nullptr,
                                .deinit = nullptr,
                                .stages = stages,
                                .n_stages = 1};
}
