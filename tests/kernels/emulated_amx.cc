#include "emulated_amx.h"

#include "emulated_amx_ops.h"

namespace sglrun::kernels::testing {
namespace {

Backend WithTiles(const Backend& base, std::string_view isa, decltype(KernelTable::gemm) gemm) {
  Backend backend = base;
  backend.isa = isa;
  backend.table.gemm = gemm;
  return backend;
}

std::vector<EmulatedAmx> MakeBackends() {
  std::vector<EmulatedAmx> backends;
  const Backend* portable = *CpuBackend("portable");
  static const Backend on_portable =
      WithTiles(*portable, "portable with tiles", cpu::emulated_portable::Gemm);
  backends.push_back({portable, &on_portable});
#if defined(__x86_64__)
  if (const auto vnni = CpuBackend("avx512-vnni"); vnni.ok()) {
    static const Backend on_vnni =
        WithTiles(**vnni, "avx512-vnni with tiles", cpu::emulated_avx512_vnni::Gemm);
    backends.push_back({*vnni, &on_vnni});
  }
#endif
  return backends;
}

}  // namespace

const std::vector<EmulatedAmx>& EmulatedAmxBackends() {
  static const std::vector<EmulatedAmx> backends = MakeBackends();
  return backends;
}

}  // namespace sglrun::kernels::testing
