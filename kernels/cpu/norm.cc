#include "kernels/norm.h"

#include "kernels/cpu/norm_row.h"
#include "kernels/cpu/ops.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

void Norm(const NormArgs& args, KernelContext& context) {
  ForRange(context.pool(), args.x.shape[0], args.groups * args.weight.shape[0],
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t t = begin; t < end; ++t) NormaliseRow(args, t);
           });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
