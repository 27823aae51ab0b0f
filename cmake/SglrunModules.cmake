# One static library a module, one test program a module; the link graph repeats the table in
# src/README.md.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()

find_program(SGLRUN_CCACHE ccache)
if(SGLRUN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SGLRUN_CCACHE})
endif()
find_program(SGLRUN_MOLD mold)
if(SGLRUN_MOLD AND NOT SGLRUN_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()

add_library(sglrun_flags INTERFACE)
target_include_directories(sglrun_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
target_include_directories(sglrun_flags SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIR}
                           ${CLI11_INCLUDE_DIR})
target_compile_options(sglrun_flags INTERFACE -Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlapping copies inside std::string's operator+ (GCC bug 105651).
  target_compile_options(sglrun_flags INTERFACE -Wno-restrict)
endif()
if(SGLRUN_WERROR)
  target_compile_options(sglrun_flags INTERFACE -Werror)
endif()
if(SGLRUN_SANITIZE)
  # For every target at first, so that one can take a check back.
  add_compile_options(-fsanitize=${SGLRUN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  if(SGLRUN_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/sanitizer_ignore.txt)
  endif()
  add_link_options(-fsanitize=${SGLRUN_SANITIZE})
endif()
# The tests' own code costs more to optimise than it runs for.
set(SGLRUN_TEST_OPTIONS -O1)
if(SGLRUN_SANITIZE)
  set(SGLRUN_TEST_OPTIONS -O0)
endif()

# sglrun_module(name SOURCES file... [DEPS module...] [LIBRARIES target...])
function(sglrun_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBRARIES" ${ARGN})
  add_library(sglrun_${name} STATIC ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPS PREPEND sglrun_)
  target_link_libraries(sglrun_${name} PUBLIC sglrun_flags ${ARG_DEPS} PRIVATE ${ARG_LIBRARIES})
  if(SGLRUN_UNITY)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL sglrun_unite sglrun_${name})")
  endif()
endfunction()

# Compiles neighbours in one folder together, eight at a time: most of a file's cost is its headers
# and the templates it shares with its neighbours. Names in unnamed namespaces must differ then.
function(sglrun_unite target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    math(EXPR group "${count_${folder}} / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# sglrun_test(module SOURCES file... [DEPS module...] [LABEL label]): tests/<module>, a doctest program
# registered as the test <module>_tests.
function(sglrun_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;DEPS" ${ARGN})
  add_executable(${name}_tests ${ARG_SOURCES} $<TARGET_OBJECTS:sglrun_test_main>)
  list(TRANSFORM ARG_DEPS PREPEND sglrun_)
  target_include_directories(${name}_tests SYSTEM PRIVATE ${DOCTEST_INCLUDE_DIR})
  target_compile_options(${name}_tests PRIVATE ${SGLRUN_TEST_OPTIONS})
  target_compile_definitions(${name}_tests PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_link_libraries(${name}_tests PRIVATE sglrun_flags sglrun_${name} ${ARG_DEPS})
  target_compile_definitions(${name}_tests PRIVATE SGLRUN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name}_tests COMMAND ${name}_tests)
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set_tests_properties(${name}_tests PROPERTIES LABELS ${ARG_LABEL})
endfunction()
