#include "chat/parameters.h"

#include <algorithm>
#include <utility>

#include "io/stop_pattern.h"
#include "request/fields.h"
#include "request/sampling_parser.h"
#include "run/identity.h"

namespace sglrun::chat {
namespace {

using request::Field;
using request::Scope;

constexpr std::string_view kPath = "sampling_params";

// Error messages of the table contain the path in a record; here only the name is shown.
Error WithoutPath(RecordError error) {
  const std::string path = std::string(kPath) + ".";
  for (std::size_t at = 0; (at = error.message.find(path, at)) != std::string::npos;) {
    error.message.erase(at, path.size());
  }
  return Error{std::move(error.message)};
}

Json::Object::iterator FindMember(Json::Object& object, std::string_view name) {
  return std::ranges::find(object, name, &Json::Member::first);
}

void Put(Json::Object& object, std::string_view name, Json value) {
  const auto member = FindMember(object, name);
  if (member != object.end()) {
    member->second = std::move(value);
  } else {
    object.emplace_back(std::string(name), std::move(value));
  }
}

constexpr ConstraintKind kConstraints[] = {ConstraintKind::kJsonSchema, ConstraintKind::kRegex,
                                           ConstraintKind::kEbnf, ConstraintKind::kStructuralTag};

void RemoveConstraints(Json::Object& object) {
  for (const ConstraintKind kind : kConstraints) {
    std::erase_if(object, [&](const Json::Member& m) { return m.first == ConstraintName(kind); });
  }
}

bool IsConstraint(std::string_view name) {
  return std::ranges::any_of(kConstraints,
                             [&](ConstraintKind kind) { return ConstraintName(kind) == name; });
}

bool CanBeSet(const Field& field) {
  return field.scope == Scope::kSamplingParams && field.treatment == request::Treatment::kUsed &&
         field.name != "n";
}

}  // namespace

void LimitLength(std::int64_t tokens, Json::Object& sampling) {
  Put(sampling, "max_new_tokens", tokens);
  const auto least = FindMember(sampling, "min_new_tokens");
  if (least != sampling.end() && least->second.as_double() > static_cast<double>(tokens)) {
    least->second = tokens;
  }
}

Parameters::Parameters(SamplingParams defaults, std::int64_t vocab_size, CheckConstraint check)
    : defaults_(std::move(defaults)),
      vocab_size_(vocab_size),
      check_(std::move(check)),
      effective_(defaults_) {}

Status Parameters::Accept(Json::Object wanted) {
  SamplingParams params = defaults_;
  params.max_new_tokens.reset();
  std::vector<std::string> warnings;
  auto read =
      request::OverlaySamplingParams(Json(wanted), kPath, {vocab_size_, false}, params, warnings);
  if (!read.ok()) return WithoutPath(std::move(read).error());
  if (auto done = request::FinishSamplingParams(kPath, params); !done.ok()) {
    return WithoutPath(std::move(done).error());
  }
  if (auto stops = io::CheckStopPatterns(params, kPath); !stops.ok()) {
    return WithoutPath(std::move(stops).error());
  }
  if (params.n != 1) return Error{"n is " + std::to_string(params.n) + ", a chat has one answer"};
  if (params.max_new_tokens == 0) return Error{"max_new_tokens is 0, an answer needs at least 1"};
  if (!warnings.empty()) return WithoutPath(RecordError{warnings[0]});
  if (params.constraint && params.constraint != effective_.constraint) {
    SGLRUN_RETURN_IF_ERROR(check_(*params.constraint));
  }
  set_ = std::move(wanted);
  effective_ = std::move(params);
  return {};
}

Status Parameters::SetAll(const Json& object) {
  CHECK(object.is_object());
  Json::Object wanted = set_;
  for (const auto& [name, value] : object.as_object()) Put(wanted, name, value);
  return Accept(std::move(wanted));
}

Status Parameters::Replace(const Json& object) {
  CHECK(object.is_object());
  return Accept(object.as_object());
}

Status Parameters::Set(std::string_view name, std::string_view value) {
  auto parsed = ParseJson(value);
  Json json = parsed.ok() ? std::move(parsed->value) : Json(std::string(value));
  Json::Object wanted = set_;
  // A new constraint replaces the previous one.
  if (IsConstraint(name)) RemoveConstraints(wanted);
  if (json.is_null() && request::FindField(Scope::kSamplingParams, name) != nullptr) {
    std::erase_if(wanted, [&](const Json::Member& member) { return member.first == name; });
  } else {
    Put(wanted, name, std::move(json));
  }
  return Accept(std::move(wanted));
}

Status Parameters::SetConstraint(ConstraintKind kind, const std::string& text) {
  Json::Object wanted = set_;
  RemoveConstraints(wanted);
  if (!text.empty()) Put(wanted, ConstraintName(kind), text);
  return Accept(std::move(wanted));
}

std::string_view Parameters::constraint() const {
  return effective_.constraint ? ConstraintName(effective_.constraint->kind) : std::string_view();
}

Json::Object Parameters::ForAnswer(std::int64_t room, std::int64_t seed) const {
  Json::Object all = run::SamplingDefaultsJson(defaults_).as_object();
  for (const auto& [name, value] : set_) {
    if (!value.is_null()) Put(all, name, value);
  }
  LimitLength(std::min(effective_.max_new_tokens.value_or(room), room), all);
  Put(all, "sampling_seed", seed);
  return all;
}

Result<std::string> Parameters::Describe(std::string_view name) const {
  const Field* field = request::FindField(Scope::kSamplingParams, name);
  if (field == nullptr) {
    return Error{"unknown parameter " + request::ShortName(name) +
                 request::NearestFieldHint(Scope::kSamplingParams, name)};
  }
  if (!CanBeSet(*field)) {
    return Error{std::string(name) + " has no use in a chat (" + std::string(field->summary) + ")"};
  }
  std::string value = "default";
  const auto member = std::ranges::find(set_, name, &Json::Member::first);
  if (member != set_.end()) value = member->second.Excerpt(200);
  std::string kind(request::KindPhrase(field->kind));
  if (const std::string range = field->range.ToString(); !range.empty()) kind += ", " + range;
  return std::string(name) + " is " + value + ": " + std::string(field->summary) + " (" + kind +
         ")";
}

std::vector<std::string_view> Parameters::Names() {
  std::vector<std::string_view> names;
  for (const Field& field : request::Fields()) {
    if (CanBeSet(field)) names.push_back(field.name);
  }
  return names;
}

}  // namespace sglrun::chat
