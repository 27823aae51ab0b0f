# Everything comes from Debian's packages; scripts/setup installs them. The README lists them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(ZLIB REQUIRED)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
if(SGLRUN_TESTS)
  find_path(DOCTEST_INCLUDE_DIR doctest/doctest.h REQUIRED)
endif()

# The CUDA backend needs nvcc at build time only. No kernel file is compiled by it yet, so AUTO and OFF
# are the same build; ON is refused rather than ignored.
if(SGLRUN_CUDA STREQUAL "ON")
  message(FATAL_ERROR "SGLRUN_CUDA=ON: this release has the CPU backend only; configure with AUTO or OFF")
endif()
message(STATUS "CUDA backend: off (this release has the CPU backend only)")
