#include <mutex>
#include <vector>

#include "kernels/cuda/calls.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/encode_rows.h"

namespace sglrun::kernels::cuda::calls {
namespace {

void UploadParts(const std::vector<EncodedPart>& parts, const PackedWeight& weight,
                 DeviceState& device) {
  device.runtime().UseHere();
  for (const EncodedPart& part : parts) {
    device.Upload(weight.data.as<std::uint8_t>() + part.at, part.bytes.data(), part.bytes.size());
  }
}

}  // namespace

// Threads that load weights call this together.
void PackRows(const PackRowsArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  const std::int64_t count = args.rows.shape[0];
  const std::int64_t k = args.weight->k;
  if (count == 0 || k == 0) return;
  if (args.weight->form().quantized()) {
    const std::vector<EncodedPart> parts = EncodeRows(args, context);
    const std::lock_guard lock(device.mutex());
    return UploadParts(parts, *args.weight, device);
  }
  const std::lock_guard lock(device.mutex());
  device.runtime().UseHere();
  auto* rows =
      static_cast<float*>(device.Scratch(static_cast<std::size_t>(count * k) * sizeof(float)));
  const std::size_t row_bytes = static_cast<std::size_t>(k) * sizeof(float);
  if (args.rows.stride[0] == k) {
    device.Upload(rows, args.rows.data, static_cast<std::size_t>(count) * row_bytes);
  } else {
    for (std::int64_t r = 0; r < count; ++r) {
      device.Upload(rows + r * k, args.rows.row(r), row_bytes);
    }
  }
  device.ops().pack_rows({.rows = {rows, k},
                          .count = count,
                          .first_row = args.first_row,
                          .weight = WeightOf(*args.weight)},
                         device.stream());
}

void PackCodes(const PackCodesArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  const std::vector<EncodedPart> parts = EncodeRows(args);
  const std::lock_guard lock(device.mutex());
  UploadParts(parts, *args.weight, device);
}

}  // namespace sglrun::kernels::cuda::calls
