#include "kernels/backend.h"

#include <fstream>
#include <set>
#include <sstream>

#include "support.h"

namespace sglrun::kernels {
namespace {

TEST_CASE("a forced instruction set is the one that runs") {
  std::set<void (*)(const GemmArgs&, KernelContext&)> kernels;
  for (const std::string_view isa : CpuIsas()) {
    const auto backend = CpuBackend(isa);
    REQUIRE(backend.ok());
    // The name comes from the flags of the object that holds the kernels.
    CHECK((*backend)->isa == isa);
    CHECK(kernels.insert((*backend)->table.gemm).second);
  }
}

TEST_CASE("auto takes the first instruction set of the list, and portable always runs") {
  const auto backend = CpuBackend();
  REQUIRE(backend.ok());
  CHECK((*backend)->isa == CpuIsas().front());
  CHECK(CpuIsas().back() == "portable");
}

TEST_CASE("an unknown instruction set is refused with the names of those that can run") {
  const auto backend = CpuBackend("avx3");
  REQUIRE(!backend.ok());
  CHECK(backend.error().message.find("avx3") != std::string::npos);
  CHECK(backend.error().message.find("portable") != std::string::npos);
}

TEST_CASE("matrix tiles are offered where the system names them, and refused elsewhere") {
  std::set<std::string> flags;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) flags.insert(word);
  }
  bool named = true;
  for (const char* flag : {"amx_tile", "amx_bf16", "amx_int8", "avx512_vnni"}) {
    named = named && flags.count(flag) == 1;
  }
  const auto backend = CpuBackend("amx");
  REQUIRE(backend.ok() == named);
  if (named) return;
  CHECK(backend.error().message.rfind("no instruction set \"amx\" on this machine; it can run ",
                                      0) == 0);
}

TEST_CASE("every entry of every kernel table is set") {
  std::vector<const Backend*> backends = testing::CpuBackends();
  backends.push_back(&RefBackend());
  for (const Backend* backend : backends) {
    const KernelTable& table = backend->table;
    CHECK((table.packed_weight_bytes != nullptr));
    CHECK((table.pack_rows != nullptr));
    CHECK((table.kv_page_bytes != nullptr));
    CHECK((table.embed != nullptr));
    CHECK((table.gemm != nullptr));
    CHECK((table.norm != nullptr));
    CHECK((table.rope != nullptr));
    CHECK((table.store_kv != nullptr));
    CHECK((table.paged_attention != nullptr));
    CHECK((table.activation != nullptr));
    CHECK((table.logits_process != nullptr));
    CHECK((table.sample != nullptr));
    CHECK((table.logprobs != nullptr));
    CHECK((backend->allocator != nullptr));
  }
}

TEST_CASE("a check names both sizes") {
  testing::Matrix x(3, 5), y(3, 7);
  const PackedWeight weight{.n = 7, .k = 6, .dtype = tensor::DType::kF32, .data = {}};
  const std::string problem =
      Check(GemmArgs{.x = x.view(), .weight = &weight, .bias = {}, .y = y.view()});
  CHECK(problem == "gemm: x is f32[3, 5], must be f32[3, 6] with a contiguous last axis");
}

}  // namespace
}  // namespace sglrun::kernels
