// How often a randomised test tries. The released build tries everything; builds with sanitizers,
// where a round takes some ten times as long, try a fifth: what they look for shows early.
#pragma once

namespace sglrun {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SGLRUN_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SGLRUN_SANITIZED
#endif

#if defined(SGLRUN_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#undef SGLRUN_SANITIZED

constexpr int Rounds(int count) {
  return kSanitized ? (count + 4) / 5 : count;
}

}  // namespace sglrun
