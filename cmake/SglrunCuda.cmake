# The CUDA backend needs nvcc at build time and a driver at run time. AUTO builds it where nvcc is, ON
# insists. Without it the simulated device still runs every kernel in the tests.
set(SGLRUN_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
# The last one with PTX, for chips to come. One alone (90a-real) compiles in a quarter of the time.
set(SGLRUN_CUDA_ARCHITECTURES "80-real;86-real;89-real;90a-real;100-real;120" CACHE STRING
    "GPUs to compile the kernels for")

# Not CMAKE_CUDA_COMPILER: that stays in the cache of a directory that was configured otherwise before.
set(SGLRUN_CUDA_BUILT OFF)
if(SGLRUN_CUDA STREQUAL "OFF")
  message(STATUS "CUDA backend: off")
  return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(SGLRUN_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SGLRUN_CUDA=ON, but there is no nvcc: put it into PATH or name it with "
                        "CMAKE_CUDA_COMPILER, or configure with AUTO or OFF")
  endif()
  message(STATUS "CUDA backend: off (no nvcc); its kernels are tested on the simulated device")
  return()
endif()
# Before the language is enabled, which would choose for us.
set(CMAKE_CUDA_ARCHITECTURES ${SGLRUN_CUDA_ARCHITECTURES})
enable_language(CUDA)
set(SGLRUN_CUDA_BUILT ON)
find_package(CUDAToolkit REQUIRED)
string(REPLACE ";" " " cuda_architecture_text "${SGLRUN_CUDA_ARCHITECTURES}")
message(STATUS "CUDA backend: toolkit ${CUDAToolkit_VERSION}, architectures ${cuda_architecture_text}")
