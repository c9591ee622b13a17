# cmake -Dfile=FILE -P write_at_once.cmake
#
# Writes a program or library again, in one go. The linker and CMake write files in small pieces, and so they lie in
# the system's cache of files in single pages, each of which every run has to map by itself. Written at once they lie
# there in pieces as large as the system knows (ext4 since Linux 6.16, other file systems before), until it drops them.
# Only speed depends on it: where something is missing, the file stays as it is.
find_program(zz_dd dd)
if(zz_dd)
  execute_process(COMMAND ${zz_dd} "if=${file}" "of=${file}.whole" bs=16M ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(COMMAND chmod "--reference=${file}" "${file}.whole" ERROR_QUIET RESULT_VARIABLE failed)
  endif()
  if(NOT failed)
    file(RENAME "${file}.whole" "${file}")
  else()
    file(REMOVE "${file}.whole")
  endif()
endif()
