# Debian packages: cpack --config build/release/CPackConfig.cmake -G DEB
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME zz)
set(CPACK_PACKAGE_VENDOR zz)
# The owner has filled in who maintains the packages, or who wrote zz, and where it lives (docs/releasing.md).
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/owner.txt owner REGEX "^[A-Z][A-Za-z-]*:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/owner.txt)
foreach(line ${owner})
  string(REGEX MATCH "^([A-Za-z-]+): *(.*)$" line "${line}")
  string(STRIP "${CMAKE_MATCH_2}" owner_${CMAKE_MATCH_1})
endforeach()
if(owner_Maintainer AND owner_Maintainer-email)
  set(CPACK_PACKAGE_CONTACT "${owner_Maintainer} <${owner_Maintainer-email}>")
elseif(owner_Author AND owner_Author-email)
  set(CPACK_PACKAGE_CONTACT "${owner_Author} <${owner_Author-email}>")
else()
  set(CPACK_PACKAGE_CONTACT "nobody yet <unreleased@zz.invalid>")
endif()
if(owner_Home-page)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${owner_Home-page}")
endif()
# A summary for all would come before the description of each.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL zz-host zz-plugins zz-dev)
if(ZZ_PYTHON_PACKAGE)
  list(APPEND CPACK_COMPONENTS_ALL python3-zz)
endif()
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# zz-plugins depends on the library in zz-host by the name of the package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_ZZ-HOST_PACKAGE_NAME zz-host)
set(CPACK_DEBIAN_ZZ-HOST_DESCRIPTION
"finds the best mappings of neural networks on accelerators
zz-host runs pipelines of stages that explore how a network can run on a
deep-learning accelerator, and what each way costs in energy and time. This
package has the program, its documentation and example inputs; the stages
are in zz-plugins.")
set(CPACK_DEBIAN_ZZ-HOST_PACKAGE_RECOMMENDS "zz-plugins (= ${PROJECT_VERSION})")
# libpq5 is for stores on a server.
set(CPACK_DEBIAN_ZZ-HOST_PACKAGE_SUGGESTS "zz-dev, libpq5")

set(CPACK_DEBIAN_ZZ-PLUGINS_PACKAGE_NAME zz-plugins)
set(CPACK_DEBIAN_ZZ-PLUGINS_DESCRIPTION
"built-in stages of zz-host
Readers of networks and accelerators, searches for mappings, cost models,
reducers, writers and plots for pipelines of zz-host.")
set(CPACK_DEBIAN_ZZ-PLUGINS_PACKAGE_DEPENDS "zz-host (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_ZZ-DEV_PACKAGE_NAME zz-dev)
set(CPACK_DEBIAN_ZZ-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ZZ-DEV_DESCRIPTION
"files for writing stages of zz-host
The C interface and the C++ layer over it, CMake and pkg-config files,
examples, and the template of zz-host new-plugin.")
set(CPACK_DEBIAN_ZZ-DEV_PACKAGE_RECOMMENDS "zz-host (= ${PROJECT_VERSION}), zz-plugins (= ${PROJECT_VERSION}), cmake")
set(CPACK_DEBIAN_ZZ-DEV_PACKAGE_SHLIBDEPS OFF)

math(EXPR python_next_minor "${Python_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON3-ZZ_PACKAGE_NAME python3-zz)
set(CPACK_DEBIAN_PYTHON3-ZZ_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-ZZ_DESCRIPTION
"zz from Python, and stages in Python
The package zz runs pipelines of zz-host in the process of Python: results as
objects, tables of pandas and pictures in notebooks, searches, sweeps over
many machines. With it, pipelines may have stages that are Python classes.")
set(CPACK_DEBIAN_PYTHON3-ZZ_PACKAGE_DEPENDS
  "zz-host (= ${PROJECT_VERSION}), zz-plugins (= ${PROJECT_VERSION}), python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${python_next_minor}), libpython${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
set(CPACK_DEBIAN_PYTHON3-ZZ_PACKAGE_SUGGESTS "python3-pandas, python3-distributed")

include(CPack)
