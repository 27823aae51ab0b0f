// The sampling parameters of a chat: what was set, checked against the one table of request fields
// as soon as it is set.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "request/constraint.h"
#include "request/sampling_params.h"

namespace sglrun::chat {

// Sets `tokens` as the maximum length of an answer and lowers a larger minimum.
void LimitLength(std::int64_t tokens, Json::Object& sampling);

class Parameters {
 public:
  // Why a constraint cannot be used.
  using CheckConstraint = std::function<Status(const Constraint& constraint)>;

  // `defaults` apply to parameters that are not set.
  Parameters(SamplingParams defaults, std::int64_t vocab_size, CheckConstraint check);

  // Sets all members of an object, or none if one is invalid.
  Status SetAll(const Json& object);
  // Replaces all set parameters by the members of an object.
  Status Replace(const Json& object);
  // Sets one parameter. The typed value is JSON, or else a plain string; null restores the default.
  Status Set(std::string_view name, std::string_view value);
  // Replaces any constraint; an empty text removes it.
  Status SetConstraint(ConstraintKind kind, const std::string& text);

  // The adapter that answers, "" for none.
  void SetAdapter(std::string name) { adapter_ = std::move(name); }
  const std::string& adapter() const { return adapter_; }

  const Json::Object& set() const { return set_; }
  std::string_view constraint() const;  // the name of the one that is set, "" for none
  const SamplingParams& effective() const { return effective_; }

  // The parameters of one answer: the defaults, the parameters that are set, a length of at most
  // `room`, and the seed.
  Json::Object ForAnswer(std::int64_t room, std::int64_t seed) const;

  // "temperature 0.7  (in [0, inf), default 1)": value and what it may be, for one name.
  Result<std::string> Describe(std::string_view name) const;
  // Names that can be set, in the table's order.
  static std::vector<std::string_view> Names();

 private:
  Status Accept(Json::Object wanted);

  const SamplingParams defaults_;
  const std::int64_t vocab_size_;
  const CheckConstraint check_;
  Json::Object set_;
  std::string adapter_;
  SamplingParams effective_;
};

}  // namespace sglrun::chat
