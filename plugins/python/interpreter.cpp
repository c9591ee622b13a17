#include "plugins/python/interpreter.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace zz::plugins {
namespace {

/// A function of Python's C API. The plugin is not linked to Python: the process may have one of its own.
template <class Function>
Function* python_function(const char* name) {
  void* const found = ::dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) throw std::runtime_error(std::string("this Python lacks the function ") + name);
  return reinterpret_cast<Function*>(found);
}

bool process_has_python() {
  return ::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr &&
         python_function<int()>("Py_IsInitialized")() != 0;
}

/// The command of an environment (zz/command.py) says which Python that is; else it is that of the build.
const char* said(const char* variable, const char* of_the_build) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : of_the_build;
}

std::string told_to_install(const std::string& library, const std::string& reason) {
  const std::string otherwise = ", or run the pipeline by zz.run() of Python";
  const std::string name = std::filesystem::path(library).filename();
  const std::size_t end = name.find(".so");
  if (end == std::string::npos)
    return "stages in Python need a Python that is a shared library, which this one is not (" + name +
           "): take one that was configured with --enable-shared" + otherwise;
  return "stages in Python need " + library + " (" + reason + "): install it (Debian: the package " +
         name.substr(0, end) + ")" + otherwise;
}

void start_interpreter() {
  // Extension modules expect Python's symbols to be global.
  const char* const library = said("ZZ_PYTHON_LIBRARY", ZZ_PYTHON_LIBRARY);
  if (::dlopen(library, RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw std::runtime_error(told_to_install(library, ::dlerror()));
  static const std::wstring program = [] {
    const std::string path = said("ZZ_PYTHON", ZZ_PYTHON);
    std::wstring wide(path.size(), L'\0');
    wide.resize(std::mbstowcs(wide.data(), path.c_str(), wide.size()));
    return wide;
  }();
  python_function<void(const wchar_t*)>("Py_SetProgramName")(program.c_str());
  python_function<void(int)>("Py_InitializeEx")(0);  // the host handles the signals
  // Lines that stages print stand among the host's own, and none is left unwritten: the interpreter is
  // never ended.
  python_function<int(const char*)>("PyRun_SimpleString")(
      "import sys\nif sys.stdout: sys.stdout.reconfigure(line_buffering=True)");
  python_function<void*()>("PyEval_SaveThread")();
}

/// Holds the interpreter's lock.
class Locked {
 public:
  Locked() : state_(python_function<int()>("PyGILState_Ensure")()) {}
  ~Locked() { python_function<void(int)>("PyGILState_Release")(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int state_;
};

/// The package is installed, and built, beside the plugins. What the user has in PYTHONPATH comes first.
void add_own_package_folder() {
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&python_capsule), &own) == 0) return;
  const auto plugins = std::filesystem::absolute(own.dli_fname).parent_path();
  // The last is that of a wheel, which has the plugins inside the package.
  for (const char* where : {"../../" ZZ_PYTHON_FOLDER, "../../../" ZZ_PYTHON_FOLDER, "../../../.."}) {
    const auto folder = (plugins / where).lexically_normal();
    std::error_code none;
    if (!std::filesystem::exists(folder / "zz/__init__.py", none)) continue;
    void* const path = python_function<void*(const char*)>("PySys_GetObject")("path");
    void* const text = python_function<void*(const char*)>("PyUnicode_FromString")(folder.c_str());
    if (path != nullptr && text != nullptr) python_function<int(void*, void*)>("PyList_Append")(path, text);
    return;
  }
}

std::string pending_exception() {
  void *type = nullptr, *value = nullptr, *trace = nullptr;
  python_function<void(void**, void**, void**)>("PyErr_Fetch")(&type, &value, &trace);
  if (value == nullptr) return "for no known reason";
  void* const text = python_function<void*(void*)>("PyObject_Str")(value);
  const char* const words =
      text != nullptr ? python_function<const char*(void*)>("PyUnicode_AsUTF8")(text) : nullptr;
  return words != nullptr ? words : "for a reason without words";
}

}  // namespace

const void* python_capsule(const char* name) {
  const bool started = !process_has_python();
  if (started) start_interpreter();
  const Locked locked;
  if (started) add_own_package_folder();
  void* const found = python_function<void*(const char*, int)>("PyCapsule_Import")(name, 0);
  if (found == nullptr)
    throw std::runtime_error("the Python package zz cannot be imported: " + pending_exception() +
                             "; install python3-zz, or build zz with pybind11-dev and python3-dev");
  return found;
}

}  // namespace zz::plugins
