#include "cli/shortage_advice.h"

namespace sglrun::cli {

std::string_view AdviceFor(Shortage shortage) {
  switch (shortage) {
    case Shortage::kNone:
      return "";
    case Shortage::kWeights:
      return "; a smaller --dtype, int8 or int4, may fit";
    case Shortage::kWeightsInInt4:
      return "; int4 is the smallest --dtype, use a smaller model";
    case Shortage::kWeightsAndStep:
      return "; use a smaller --dtype (int8, int4), or lower --context-length, --max-rows or "
             "--max-batch-tokens";
    case Shortage::kCache:
      return "; lower --kv-memory, --max-rows or --context-length";
    case Shortage::kSmallCache:
      return "; raise --kv-memory";
    case Shortage::kLeastCache:
      return "; free some memory, lower --context-length, or set --kv-memory";
    case Shortage::kActivations:
      return "; lower --max-batch-tokens or --max-rows (of bench, --batch-sizes)";
    case Shortage::kDeviceStep:
      return "; lower --kv-memory, --context-length, --max-rows or --max-batch-tokens";
    case Shortage::kRunningStep:
      return "; lower --kv-memory, --max-rows or --max-batch-tokens, and a batch run continues";
    case Shortage::kPinned:
      return "; lower --max-rows or --max-batch-tokens, and a batch run continues";
  }
  return "";
}

}  // namespace sglrun::cli
