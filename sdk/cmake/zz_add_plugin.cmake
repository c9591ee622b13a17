# zz_add_plugin(<name> SOURCES <file>... [INSTALL] [VERSION <v>] [VENDOR <text>] [LICENSE <SPDX>] [URL <url>])
#
# Adds the stage plugin <name>.so, written in C or C++ against zz::abi or zz::sdk. It comes out as the host wants
# it: loadable, one exported symbol, everything else hidden, no undefined symbol, never unloaded, and with the
# floating-point behaviour of all other stages. INSTALL adds a rule that puts it where zz-host of the same
# prefix finds it by itself.
#
# INTERNAL is for zz's own tree: the plugin uses the core library and is locked to this build of it.
include_guard(GLOBAL)

function(zz_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL;INSTALL" "VERSION;VENDOR;LICENSE;URL" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "zz_add_plugin(${name}): usage: zz_add_plugin(<name> SOURCES <file>... [INSTALL] "
                        "[VERSION <v>] [VENDOR <text>] [LICENSE <SPDX>] [URL <url>])")
  endif()

  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/zz_plugin.map)
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    SUFFIX .so
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/zz_plugin.map)
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  target_link_options(${name} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/zz_plugin.map -Wl,-z,nodelete)
  # A sanitizer leaves its own symbols to the executable.
  if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()

  set(languages ${arg_SOURCES})
  list(FILTER languages INCLUDE REGEX "\\.(cpp|cc|cxx)$")
  if(languages)
    target_link_libraries(${name} PRIVATE zz::sdk)
  else()
    target_link_libraries(${name} PRIVATE zz::abi)
  endif()

  if(NOT arg_VERSION)
    set(arg_VERSION "${PROJECT_VERSION}")
  endif()
  foreach(fact VERSION VENDOR LICENSE URL)
    if(arg_${fact})
      target_compile_definitions(${name} PRIVATE "ZZ_PLUGIN_${fact}=\"${arg_${fact}}\"")
    endif()
  endforeach()

  set(plugin_folder lib/zz/plugins-0)
  if(CMAKE_INSTALL_LIBDIR)
    set(plugin_folder ${CMAKE_INSTALL_LIBDIR}/zz/plugins-0)
  endif()
  if(arg_INTERNAL)
    if(NOT ZZ_BUILD_ID)
      message(FATAL_ERROR "zz_add_plugin(${name} INTERNAL): only inside zz's own tree, where ZZ_BUILD_ID is set")
    endif()
    target_link_libraries(${name} PRIVATE zz-core)
    set_property(GLOBAL APPEND PROPERTY ZZ_BUILTIN_PLUGINS ${name})
    # Changes with every header of the core: only the file with the plugin's table is compiled anew.
    set_source_files_properties(plugin.cpp PROPERTIES COMPILE_DEFINITIONS "ZZ_BUILD_ID=\"${ZZ_BUILD_ID}\"")
    set_target_properties(${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${zz_BINARY_DIR}/lib/zz/plugins-0
      INSTALL_RPATH "$ORIGIN/../..")
  endif()
  if(arg_INTERNAL OR arg_INSTALL)
    install(TARGETS ${name} LIBRARY DESTINATION ${plugin_folder})
  endif()

  cmake_language(EVAL CODE "cmake_language(DEFER CALL zz_refuse_fast_math [[${name}]])")
endfunction()

# Loading a library linked with -ffast-math changes how the whole process treats tiny numbers, so that results
# would depend on which plugins are there.
function(zz_refuse_fast_math name)
  get_target_property(compile_options ${name} COMPILE_OPTIONS)
  get_target_property(link_options ${name} LINK_OPTIONS)
  set(flags "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${CMAKE_MODULE_LINKER_FLAGS} ${compile_options} ${link_options}")
  if(CMAKE_BUILD_TYPE)
    string(TOUPPER ${CMAKE_BUILD_TYPE} type)
    string(APPEND flags " ${CMAKE_C_FLAGS_${type}} ${CMAKE_CXX_FLAGS_${type}}")
  endif()
  if(flags MATCHES "-(ffast-math|Ofast|funsafe-math-optimizations)")
    message(FATAL_ERROR "zz_add_plugin(${name}): -${CMAKE_MATCH_1} is not allowed in a stage plugin: loading it "
                        "would change the results of other stages")
  endif()
endfunction()
