# zz_write_at_once(<target> <folder>): has the target's file, and its copy that is installed in the folder, written in one
# go (write_at_once.cmake says why). After install(TARGETS), in the target's own CMakeLists.txt.
function(zz_write_at_once target folder)
  set(script ${PROJECT_SOURCE_DIR}/tools/packaging/write_at_once.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -Dfile=$<TARGET_FILE:${target}> -P ${script}
    VERBATIM)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\")
    include(\"${script}\")")
endfunction()
