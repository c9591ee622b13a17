# cmake -Dresult=<file.cpp> -Dsource=<folder> -Dfiles=<file;...> -Dvega=<module.min.js;...> -P embed.cmake
#
# Writes the definition of zz::plugins::resource(): each file under its name, and the modules of Vega as one script,
# compressed, under "vega.gz.base64" (empty without modules). Nothing happens when the library is loaded: most runs
# draw no pictures.

function(literal text variable)
  # In parts, because compilers need not take a literal of any length; none contains the delimiter.
  set(parts "")
  string(LENGTH "${text}" length)
  set(start 0)
  while(start LESS length)
    string(SUBSTRING "${text}" ${start} 16000 part)
    string(APPEND parts "\n    R\"_zz_(${part})_zz_\"")
    math(EXPR start "${start} + 16000")
  endwhile()
  if(parts STREQUAL "")
    set(parts "\"\"")
  endif()
  set(${variable} "${parts}" PARENT_SCOPE)
endfunction()

set(entries "")
foreach(name ${files})
  file(READ ${source}/${name} text)
  literal("${text}" embedded)
  get_filename_component(name ${name} NAME)
  string(APPEND entries "    Resource(\"${name}\", ${embedded}),\n")
endforeach()

# Debian packages the modules one by one. Each takes what it needs by its module name.
set(script "")
foreach(module ${vega})
  get_filename_component(name ${module} NAME)
  string(REGEX REPLACE "\\.min\\.js$" "" name ${name})
  file(READ ${module} text)
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
  string(APPEND script "define_module('${name}', function (exports, module, require) {\n${text}\n});\n")
endforeach()
# Compressed it is a third, and half in the letters that a page may hold. Every page has it.
set(packed "")
if(vega)
  file(WRITE ${result}.vega.js "${script}")
  file(ARCHIVE_CREATE OUTPUT ${result}.vega.js.gz PATHS ${result}.vega.js FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9
       MTIME 1970-01-01)
  execute_process(COMMAND base64 -w 0 ${result}.vega.js.gz OUTPUT_VARIABLE packed COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${result}.vega.js ${result}.vega.js.gz)
endif()
literal("${packed}" embedded)
string(APPEND entries "    Resource(\"vega.gz.base64\", ${embedded}),\n")

file(WRITE ${result}.new "#include \"plugins/pictures/resources.hpp\"

#include <cstddef>
#include <stdexcept>

namespace zz::plugins {
namespace {

struct Resource {
  template <std::size_t name_size, std::size_t text_size>
  constexpr Resource(const char (&resource_name)[name_size], const char (&resource_text)[text_size])
      : name(resource_name, name_size - 1), text(resource_text, text_size - 1) {}
  std::string_view name, text;
};

constexpr Resource resources[] = {
${entries}};

}  // namespace

std::string_view resource(std::string_view name) {
  for (const Resource& one : resources)
    if (one.name == name) return one.text;
  throw std::out_of_range(\"no such part of the pictures\");
}

}  // namespace zz::plugins
")
file(RENAME ${result}.new ${result})
