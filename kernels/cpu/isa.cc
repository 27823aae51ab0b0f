#include "kernels/cpu/ops.h"

// From the flags this file was compiled with, not from the name given to it: the test that the
// forced instruction set is the one that ran compares the two.
namespace sglrun::kernels::cpu::SGLRUN_ISA {

const char* CompiledIsa() {
#if defined(__AMX_TILE__)
  return "amx";
#elif defined(__AVX512BF16__)
  return "avx512-bf16";
#elif defined(__AVX512VNNI__)
  return "avx512-vnni";
#elif defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "portable";
#endif
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
