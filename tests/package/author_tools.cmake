# The tools for authors of stages, and the Debian packages.

# What `zz-host new-plugin` writes, in each language with each compiler; every day in Rust. Pages of the documentation build stages in
# C and C++ every day.
foreach(language c++ c)
  foreach(compilers "gcc;g++" "clang;clang++")
    list(GET compilers 1 name)
    add_test(NAME package/new_plugin_${language}_${name}
      COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/new_plugin.py ${package_folder} ${language} ${compilers})
    set_tests_properties(package/new_plugin_${language}_${name} PROPERTIES
      LABELS "package;slow" TIMEOUT 900 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED package_installed)
  endforeach()
endforeach()

add_test(NAME package/new_plugin_rust
  COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/new_plugin.py ${package_folder} rust gcc g++)
set_tests_properties(package/new_plugin_rust PROPERTIES
  LABELS package TIMEOUT 900 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED package_installed)

add_test(NAME package/installed_docs
  COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/installed_docs.py ${package_folder})
set_tests_properties(package/installed_docs PROPERTIES
  LABELS package TIMEOUT 900 FIXTURES_REQUIRED package_installed)

add_test(NAME package/completions
  COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/completions.py ${package_folder})
set_tests_properties(package/completions PROPERTIES
  LABELS package TIMEOUT 900 FIXTURES_REQUIRED package_installed)

if(TARGET nested)
  add_test(NAME package/schema
    COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/schema.py ${package_folder} ${ZZ_HOST} $<TARGET_FILE:nested>
            NestedMapperStage)
  set_tests_properties(package/schema PROPERTIES
    LABELS package TIMEOUT 900 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED package_installed)
endif()

add_test(NAME package/debian
  COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/debian.py ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/debian)
set_tests_properties(package/debian PROPERTIES LABELS "package;slow" TIMEOUT 900 SKIP_RETURN_CODE 77)

if(ZZ_PYTHON_PACKAGE)
  add_test(NAME package/python
    COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python.py ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/python)
  add_test(NAME package/python_all
    COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python.py ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/python_all --all)
  set_tests_properties(package/python PROPERTIES LABELS package TIMEOUT 900)
  set_tests_properties(package/python_all PROPERTIES LABELS "package;slow" TIMEOUT 900)
endif()

# README's commands and the release, where nothing else is: of what is committed, and built there from the beginning.
foreach(suite bookworm trixie)
  add_test(NAME package/bare_root_${suite} COMMAND ${PROJECT_SOURCE_DIR}/tools/packaging/bare_root ${suite} ${PROJECT_SOURCE_DIR})
  set_tests_properties(package/bare_root_${suite} PROPERTIES
    LABELS "package;slow" TIMEOUT 14400 SKIP_REGULAR_EXPRESSION "error: missing: ")
endforeach()
