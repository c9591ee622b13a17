# Writes the pages of the documentation as users without the source tree read them: cmake -P installed_docs.cmake with
#   SOURCE   the folder docs/
#   TARGET   where the pages go
#   INCLUDE  the folder of headers and
#   DATA     that of examples and configurations, as seen from the installed pages
# Pages and parts about the source tree are left out, links to headers and examples lead to the installed ones, and what
# other links say stays as text.
file(GLOB_RECURSE pages RELATIVE ${SOURCE} ${SOURCE}/*.md)
list(FILTER pages EXCLUDE REGEX "^(man|measurements)/|^(HACKING|design|performance|releasing)\\.md$")

# Removes everything from `begin` up to `end`, which stays, or to the end of the page.
function(cut begin end)
  string(FIND "${page}" "${begin}" from)
  while(NOT from EQUAL -1)
    string(SUBSTRING "${page}" 0 ${from} kept)
    string(SUBSTRING "${page}" ${from} -1 rest)
    string(LENGTH "${begin}" length)
    string(SUBSTRING "${rest}" ${length} -1 rest)
    string(FIND "${rest}" "${end}" to)
    if(to EQUAL -1)
      set(rest "")
    else()
      string(SUBSTRING "${rest}" ${to} -1 rest)
    endif()
    set(page "${kept}${rest}")
    string(FIND "${page}" "${begin}" from)
  endwhile()
  set(page "${page}" PARENT_SCOPE)
endfunction()

foreach(name ${pages})
  file(READ ${SOURCE}/${name} page)
  set(up "")
  if(name MATCHES "/")
    set(up "../")
  endif()
  cut("<!-- Only in the source tree: -->" "<!-- end")
  cut("## Where the work is done" "\n## ")
  string(REGEX REPLACE "<!--[^>]*-->\n?" "" page "${page}")
  string(REGEX REPLACE "\\]\\((\\.\\./)+sdk/include/" "](${up}${INCLUDE}/" page "${page}")
  string(REGEX REPLACE "\\]\\((\\.\\./)+sdk/(examples|rust)" "](${up}${DATA}/\\2" page "${page}")
  string(REGEX REPLACE "\\]\\((\\.\\./)+configs" "](${up}${DATA}/configs" page "${page}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((\\.\\./)+(core|host|plugins|sdk|tests|tools)/[^)]*\\)" "\\1" page "${page}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((\\.\\./)?((HACKING|design|performance|releasing)\\.md|measurements/)[^)]*\\)" "\\1" page "${page}")
  string(REGEX REPLACE " \\(`core/[^`]*`\\)" "" page "${page}")
  string(REPLACE "build/release/bin/zz-host configs/" "zz-host share/zz/configs/" page "${page}")
  string(REPLACE "build/release/bin/" "" page "${page}")
  string(REPLACE "`sdk/include/" "`" page "${page}")
  string(REPLACE "`sdk/examples`" "`share/zz/examples`" page "${page}")
  file(WRITE ${TARGET}/${name} "${page}")
endforeach()
