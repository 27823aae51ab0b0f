#include "kernels/transfer.h"

#include <cstring>

namespace sglrun::kernels {

std::string Check(const GatherRowsArgs& args) {
  const bool fits = args.in.rank == 2 && args.out.rank == 2 &&
                    args.in.shape[1] == args.out.shape[1] &&
                    args.out.shape[0] == static_cast<std::int64_t>(args.rows.size());
  if (fits) return "";
  return "gather_rows: " + std::to_string(args.rows.size()) + " rows of " + args.in.ToString() +
         " into " + args.out.ToString();
}

namespace host {

void Stage(std::span<StagedArray>, KernelContext&) {}

void Repeat(const RepeatArgs& args, KernelContext&) {
  (*args.work)();
}

void Copy(void* to, const void* from, std::size_t bytes, KernelContext&) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void GatherRows(const GatherRowsArgs& args, KernelContext&) {
  const std::size_t bytes = static_cast<std::size_t>(args.in.shape[1]) * sizeof(float);
  for (std::size_t i = 0; i < args.rows.size(); ++i) {
    std::memcpy(args.out.row(static_cast<std::int64_t>(i)), args.in.row(args.rows[i]), bytes);
  }
}

}  // namespace host
}  // namespace sglrun::kernels
