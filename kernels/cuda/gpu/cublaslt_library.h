// Finds and opens cuBLASLt at run time: it is half a gigabyte, and a program that needs it could
// not start where it is not installed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/cuda/gpu/cublaslt_api.h"

namespace sglrun::gpu::lt {

struct Library {
  Api api;
  std::string path;
  std::string Version() const;  // "13.1.0"
};

// Where it is looked for, in this order: the file or folder that SGLRUN_CUBLAS_PATH names, and only
// there; else the dynamic linker's own places, $CUDA_HOME/lib64, /usr/local/cuda/lib64, and the
// folder of this program.
std::vector<std::string> NamedPlaces();
std::vector<std::string> AllPlaces();

// The first of the places that holds a library of the right version with all that we call. It stays
// open until the program ends. The error tells of each place that holds something else.
Result<std::shared_ptr<const Library>> OpenLibrary(const std::vector<std::string>& places);

}  // namespace sglrun::gpu::lt
