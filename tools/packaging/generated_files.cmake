# Texts of the host about itself: completion scripts and the manual page.
set(generated ${PROJECT_BINARY_DIR}/generated)
set(generated_files)
get_property(builtin_plugins GLOBAL PROPERTY ZZ_BUILTIN_PLUGINS)

function(zz_host_writes file)
  # Only the built-in plugins count, whatever the user has installed.
  add_custom_command(
    OUTPUT ${generated}/${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND ${CMAKE_COMMAND} -E env --unset=ZZ_PLUGIN_PATH --unset=HOME --unset=XDG_DATA_HOME
            $<TARGET_FILE:zz-host> ${ARGN} > ${generated}/${file}
    DEPENDS zz-host zz-host-lib ${builtin_plugins} ${PROJECT_SOURCE_DIR}/docs/man/zz-host.1.md
    COMMENT "Writing ${file}"
    VERBATIM)
  list(APPEND generated_files ${generated}/${file})
  set(generated_files ${generated_files} PARENT_SCOPE)
endfunction()

zz_host_writes(zz-host.bash completion bash)
zz_host_writes(_zz-host completion zsh)
zz_host_writes(zz-host.fish completion fish)
zz_host_writes(zz-host.1.md manual ${PROJECT_SOURCE_DIR}/docs/man/zz-host.1.md)

find_program(ZZ_PANDOC NAMES pandoc)
if(ZZ_PANDOC)
  add_custom_command(
    OUTPUT ${generated}/zz-host.1
    COMMAND ${ZZ_PANDOC} --standalone --from markdown-smart --to man --variable "footer=zz ${PROJECT_VERSION}"
            --output ${generated}/zz-host.1 ${generated}/zz-host.1.md
    DEPENDS ${generated}/zz-host.1.md
    COMMENT "Building the manual page"
    VERBATIM)
  list(APPEND generated_files ${generated}/zz-host.1)
  install(FILES ${generated}/zz-host.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT zz-host)
else()
  message(STATUS "pandoc is not installed: there will be no manual page")
endif()

# Pages for users: without what only the source tree has.
file(RELATIVE_PATH docs_to_headers /prefix/${CMAKE_INSTALL_DOCDIR} /prefix/${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH docs_to_data /prefix/${CMAKE_INSTALL_DOCDIR} /prefix/${CMAKE_INSTALL_DATADIR}/zz)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
set(installed_docs ${PROJECT_SOURCE_DIR}/tools/packaging/installed_docs.cmake)
add_custom_command(
  OUTPUT ${generated}/docs/user-guide.md
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${generated}/docs
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}/docs -D TARGET=${generated}/docs -D INCLUDE=${docs_to_headers}
          -D DATA=${docs_to_data} -P ${installed_docs}
  DEPENDS ${pages} ${installed_docs}
  COMMENT "Writing the pages that are installed"
  VERBATIM)
list(APPEND generated_files ${generated}/docs/user-guide.md)
add_custom_target(zz-generated ALL DEPENDS ${generated_files})

install(FILES ${generated}/zz-host.bash RENAME zz-host
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT zz-host)
install(FILES ${generated}/_zz-host DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT zz-host)
install(FILES ${generated}/zz-host.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT zz-host)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/zz COMPONENT zz-host)
install(DIRECTORY ${generated}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT zz-host)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/notebooks DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT zz-host
  FILES_MATCHING PATTERN "*.ipynb")

# Licence texts of what is compiled in.
if(ZZ_PYTHON)
  install(CODE "execute_process(COMMAND ${ZZ_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/licences.py \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zz/licences\" COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT zz-host)
endif()
