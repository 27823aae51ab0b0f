// A library with the entry points of cuBLASLt that we call, so that the calling code runs where no
// card is: it multiplies on the host, from the descriptors, and refuses what the real one documents
// as refused. Compiled again with another version, or without one of its functions, for the tests
// of opening it. It shares nothing with our own declarations (gpu/cublaslt_api.h): where these are
// wrong, the two do not fit.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#ifndef STAND_IN_VERSION
#define STAND_IN_VERSION 130102
#endif

namespace {

enum Status { kOk = 0, kInvalid = 7, kUnsupported = 15 };

struct Matrix {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct Operation {
  int compute, scale;
  std::int32_t transpose_a = 0, transpose_b = 0;
  std::uint32_t epilogue = 1;
  const float* bias = nullptr;
};
struct Limits {
  std::uint64_t workspace = 0;
  std::uint32_t alignment_c = 256, alignment_d = 256;
};
struct Algorithm {
  std::uint64_t data[8];
};
struct Result {
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

// Its algorithms, whose sums differ in their order: one after the other, very slowly; two halves,
// for which it needs room; the same with more room than anybody gives.
enum Kind : std::uint64_t { kSlow = 1, kHalves = 2, kRoomy = 3 };
constexpr std::uint64_t kMark = 0x5354414e44494eu;

std::atomic<long> products = 0;

std::size_t RoomOf(std::uint64_t kind, const Matrix& d) {
  if (kind == kHalves) return 2 * d.rows * d.columns * sizeof(float);
  return kind == kRoomy ? std::size_t{1} << 32 : 0;
}

float Value(const Matrix& m, const void* data, std::size_t row, std::size_t column) {
  const std::size_t at = column * static_cast<std::size_t>(m.leading) + row;
  std::uint32_t bits = 0;
  if (m.type == 14) {  // bf16
    std::uint16_t half;
    std::memcpy(&half, static_cast<const std::uint16_t*>(data) + at, sizeof half);
    bits = static_cast<std::uint32_t>(half) << 16;
  } else {
    std::memcpy(&bits, static_cast<const float*>(data) + at, sizeof bits);
  }
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool Fits(const Operation& op, const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d) {
  const std::uint64_t n = op.transpose_a ? a.columns : a.rows;
  const std::uint64_t k = op.transpose_a ? a.rows : a.columns;
  const std::uint64_t k2 = op.transpose_b ? b.columns : b.rows;
  const std::uint64_t m = op.transpose_b ? b.rows : b.columns;
  const auto wide = [](const Matrix& x) { return x.leading >= static_cast<std::int64_t>(x.rows); };
  return op.compute == 68 && op.scale == 0 && a.type == 14 && b.type == 14 && c.type == 0 &&
         d.type == 0 && k == k2 && d.rows == n && d.columns == m && c.rows == n && c.columns == m &&
         wide(a) && wide(b) && wide(c) && wide(d);
}

bool IsAt(const void* data, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

}  // namespace

extern "C" {

// For tests: products so far.
long sglrun_stand_in_products() {
  return products;
}

std::size_t cublasLtGetVersion() {
  return STAND_IN_VERSION;
}
const char* cublasLtGetStatusString(int status) {
  return status == kInvalid ? "the stand-in refuses a value" : "the stand-in does not do that";
}
int cublasLtCreate(void** handle) {
  *handle = new int(0);
  return kOk;
}
int cublasLtDestroy(void* handle) {
  delete static_cast<int*>(handle);
  return kOk;
}
int cublasLtMatmulDescCreate(void** desc, int compute, int scale) {
  *desc = new Operation{compute, scale};
  return kOk;
}
int cublasLtMatmulDescDestroy(void* desc) {
  delete static_cast<Operation*>(desc);
  return kOk;
}
int cublasLtMatmulDescSetAttribute(void* desc, int attribute, const void* value,
                                   std::size_t bytes) {
  auto& op = *static_cast<Operation*>(desc);
  const auto take = [&](auto& member) {
    if (bytes != sizeof member) return kInvalid;
    std::memcpy(&member, value, bytes);
    return kOk;
  };
  if (attribute == 3) return take(op.transpose_a);
  if (attribute == 4) return take(op.transpose_b);
  if (attribute == 7) return take(op.epilogue);
  if (attribute == 8) return take(op.bias);
  return kInvalid;
}
int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading) {
  *layout = new Matrix{type, rows, columns, leading};
  return kOk;
}
int cublasLtMatrixLayoutDestroy(void* layout) {
  delete static_cast<Matrix*>(layout);
  return kOk;
}
int cublasLtMatmulPreferenceCreate(void** preference) {
  *preference = new Limits;
  return kOk;
}
int cublasLtMatmulPreferenceDestroy(void* preference) {
  delete static_cast<Limits*>(preference);
  return kOk;
}
int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value,
                                         std::size_t bytes) {
  auto& limits = *static_cast<Limits*>(preference);
  const auto take = [&](auto& member) {
    if (bytes != sizeof member) return kInvalid;
    std::memcpy(&member, value, bytes);
    return kOk;
  };
  if (attribute == 1) return take(limits.workspace);
  if (attribute == 7) return take(limits.alignment_c);
  if (attribute == 8) return take(limits.alignment_d);
  return kInvalid;
}

// Halves are not for 101 rows, 201, 301 ..., nothing is for 102, 202 ...: as if a kernel were
// missing there.
int cublasLtMatmulAlgoCheck(void*, void* desc, void* a, void* b, void* c, void* d,
                            const Algorithm* algorithm, Result* result) {
  const auto& to = *static_cast<const Matrix*>(d);
  const std::uint64_t kind = algorithm->data[1];
  if (algorithm->data[0] != kMark || kind < kSlow || kind > kRoomy) return kInvalid;
  if (!Fits(*static_cast<Operation*>(desc), *static_cast<Matrix*>(a), *static_cast<Matrix*>(b),
            *static_cast<Matrix*>(c), to)) {
    return kInvalid;
  }
  if (to.columns % 100 == 2 || (kind == kHalves && to.columns % 100 == 1)) return kUnsupported;
  result->workspace = RoomOf(kind, to);
  result->state = kOk;
  return kOk;
}

int cublasLtMatmulAlgoGetHeuristic(void* handle, void* desc, void* a, void* b, void* c, void* d,
                                   void* preference, int requested, Result* results,
                                   int* returned) {
  *returned = 0;
  if (requested <= 0) return kInvalid;
  for (const std::uint64_t kind : {kRoomy, kSlow, kHalves}) {
    Result result{};
    result.algorithm.data[0] = kMark;
    result.algorithm.data[1] = kind;
    if (cublasLtMatmulAlgoCheck(handle, desc, a, b, c, d, &result.algorithm, &result) != kOk ||
        result.workspace > static_cast<Limits*>(preference)->workspace || *returned >= requested) {
      continue;
    }
    results[(*returned)++] = result;
  }
  return *returned > 0 ? kOk : kUnsupported;
}

#ifndef STAND_IN_WITHOUT_MATMUL
int cublasLtMatmul(void* handle, void* desc, const void* alpha, const void* a, void* a_layout,
                   const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                   void* d, void* d_layout, const Algorithm* algorithm, void* workspace,
                   std::size_t workspace_bytes, void* stream) {
  const auto& op = *static_cast<Operation*>(desc);
  const auto& ma = *static_cast<Matrix*>(a_layout);
  const auto& mb = *static_cast<Matrix*>(b_layout);
  const auto& mc = *static_cast<Matrix*>(c_layout);
  const auto& md = *static_cast<Matrix*>(d_layout);
  Result result{};
  if (const int status = cublasLtMatmulAlgoCheck(handle, desc, a_layout, b_layout, c_layout,
                                                 d_layout, algorithm, &result);
      status != kOk) {
    return status;
  }
  const bool has_bias = op.epilogue == 4;
  if (stream != nullptr || result.workspace > workspace_bytes || !IsAt(workspace, 256) ||
      !IsAt(a, 256) || !IsAt(b, 256) || !IsAt(c, 16) || !IsAt(d, 16) || !IsAt(op.bias, 16) ||
      md.leading % 4 != 0 || has_bias != (op.bias != nullptr)) {
    return kInvalid;
  }
  const std::uint64_t kind = algorithm->data[1];
  // Far longer than the others take in a sanitizer's build on a busy machine.
  if (kind == kSlow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::size_t k = op.transpose_a ? ma.rows : ma.columns;
  const std::size_t half = kind == kHalves ? k / 2 : 0;
  const auto sum = [&](std::size_t n, std::size_t m, std::size_t begin, std::size_t end) {
    float total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      total += (op.transpose_a ? Value(ma, a, i, n) : Value(ma, a, n, i)) *
               (op.transpose_b ? Value(mb, b, m, i) : Value(mb, b, i, m));
    }
    return total;
  };
  for (std::size_t m = 0; m < md.columns; ++m) {
    for (std::size_t n = 0; n < md.rows; ++n) {
      float value = sum(n, m, half, k) + sum(n, m, 0, half);
      const float scale = *static_cast<const float*>(beta);
      value *= *static_cast<const float*>(alpha);
      if (scale != 0) value += scale * Value(mc, c, n, m);
      if (has_bias) value += op.bias[n];
      static_cast<float*>(d)[m * static_cast<std::size_t>(md.leading) + n] = value;
    }
  }
  ++products;
  return kOk;
}
#endif

}  // extern "C"
