#include "golden/text_model.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <sstream>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/utf8.h"
#include "engine/sequence.h"

namespace sglrun::golden {
namespace {

const std::string kRoot = SGLRUN_SOURCE_DIR;

// The value, or a failed test that prints the sentence.
template <class T>
T Need(Result<T> result) {
  if (!result.ok()) FAIL(result.error().message);
  return std::move(result).value();
}

std::vector<Json> ReadLines(const std::string& path) {
  std::istringstream stream(Need(ReadFile(path)));
  std::vector<Json> rows;
  for (std::string line; std::getline(stream, line);) rows.push_back(ParseJson(line)->value);
  return rows;
}

std::string StringOf(const Json& row) {
  if (const Json* hex = row.Find("bytes_hex")) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex->as_string().size(); i += 2) {
      bytes.push_back(static_cast<char>(std::stoi(hex->as_string().substr(i, 2), nullptr, 16)));
    }
    return bytes;
  }
  const Json* repeat = row.Find("repeat");
  if (repeat == nullptr) return row.Find("text")->as_string();
  std::string text;
  for (std::int64_t i = 0; i < row.Find("times")->as_int(); ++i) text += repeat->as_string();
  return text;
}

// FNV-1a, 64 bit, over the ids as little-endian 32-bit numbers (scripts/goldens/tokenizer).
std::string Fnv1a(const std::vector<std::int32_t>& ids) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const std::int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ ((static_cast<std::uint32_t>(id) >> shift) & 255)) * 0x100000001B3u;
    }
  }
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string BytesWithoutToken(const tokenizer::Tokenizer& tokenizer) {
  std::string missing(256, '\0');
  for (int byte = 0; byte < 256; ++byte)
    missing[static_cast<std::size_t>(byte)] = static_cast<char>(byte);
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string bytes = tokenizer.TokenBytes(id);
    if (bytes.size() == 1) std::erase(missing, bytes[0]);
  }
  return missing;
}

std::string Shown(const std::vector<std::int32_t>& ids) {
  Json::Array array;
  for (const std::int32_t id : ids) array.emplace_back(std::int64_t{id});
  return Json(std::move(array)).Dump();
}

GenerateRequest RequestFor(std::uint64_t ticket, const std::vector<std::int32_t>& prompt,
                           SamplingParams params) {
  GenerateRequest request;
  request.ticket = ticket;
  request.rid = std::to_string(ticket);
  request.input_ids = prompt;
  request.sampling = std::make_shared<const SamplingParams>(std::move(params));
  return request;
}

}  // namespace

TextModel::TextModel(const std::string& path, const std::string& dtype) {
  settings_.model = path;
  settings_.dtype = settings_.kv_dtype =
      dtype == "f32" ? tensor::DType::kF32 : tensor::DType::kBF16;
  compute_ = std::make_unique<serve::Compute>(settings_);
  source_ = std::make_unique<serve::ModelSource>(Need(serve::OpenModel(settings_)));
  const kernels::Backend* backend = Need(
      serve::ChooseBackend(settings_, serve::DeviceDType(settings_, source_->files), *compute_));
  model_ = Need(serve::LoadModel(settings_, source_->files, *backend, *compute_));
  engine::EngineOptions engine_options =
      serve::EngineOptionsOf(settings_, *settings_.kv_dtype, *backend);
  engine_options.context_length = 512;
  engine_ =
      Need(engine::Engine::Create(*model_, *source_->tokenizer, engine_options, compute_->context));
}

std::vector<GenerateResult> TextModel::Run(std::vector<GenerateRequest> requests) {
  std::vector<GenerateResult> results(requests.size());
  for (GenerateRequest& request : requests) {
    auto sequence = engine_->Admit(std::move(request));
    if (!sequence.ok()) FAIL(sequence.error().message);
    engine_->Submit(std::move(sequence).value());
  }
  while (engine_->HasWork()) {
    for (GenerateResult& result : engine_->Step()) results[result.ticket] = std::move(result);
  }
  return results;
}

std::vector<GenerateResult> TextModel::Greedy(const std::vector<std::vector<std::int32_t>>& prompts,
                                              std::int64_t max_new_tokens, bool ignore_eos) {
  SamplingParams params;
  params.max_new_tokens = max_new_tokens;
  params.max_new_tokens_stated = true;
  params.top_k = 1;
  params.ignore_eos = ignore_eos;
  std::vector<GenerateRequest> requests;
  for (const auto& prompt : prompts) {
    requests.push_back(RequestFor(requests.size(), prompt, params));
  }
  return Run(std::move(requests));
}

std::vector<float> TextModel::PromptLogprobs(const std::vector<std::int32_t>& prompt) {
  SamplingParams params;
  params.max_new_tokens = 0;
  params.max_new_tokens_stated = true;
  GenerateRequest request = RequestFor(0, prompt, params);
  request.return_logprob = true;
  request.logprob_start_len = 0;
  std::vector<GenerateRequest> requests;
  requests.push_back(std::move(request));
  const GenerateResult result = std::move(Run(std::move(requests))[0]);
  std::vector<float> logprobs;
  for (const TokenLogprob& entry : result.logprobs->input_token_logprobs) {
    if (entry.logprob) logprobs.push_back(*entry.logprob);
  }
  return logprobs;
}

void CheckTokenizerStrings(const tokenizer::Tokenizer& tokenizer, const std::string& golden) {
  const std::vector<Json> strings = ReadLines(kRoot + "/tests/data/tokenizer_strings.jsonl");
  const std::vector<Json> expected = ReadLines(kRoot + "/tests/golden/tokenizer/" + golden);
  REQUIRE(strings.size() >= 500);
  REQUIRE(strings.size() == expected.size());
  const std::string missing_bytes = BytesWithoutToken(tokenizer);
  CHECK(missing_bytes.size() < 64);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    CAPTURE(i);
    const std::string text = StringOf(strings[i]);
    auto ids = tokenizer.Encode(text, {});
    REQUIRE(ids.ok());
    if (const Json* list = expected[i].Find("ids")) {
      CHECK(Shown(*ids) == list->Dump());
    } else {
      CHECK(static_cast<std::int64_t>(ids->size()) == expected[i].Find("count")->as_int());
      CHECK(Fnv1a(*ids) == expected[i].Find("fnv1a")->as_string());
    }
    // Both vocabularies are byte-level without a normalizer and add no special token: text survives
    // where every byte has a token (SmolLM2's vocabulary lacks a few control characters).
    const std::string valid = ToValidUtf8(text);
    if (valid.find_first_of(missing_bytes) != std::string::npos) continue;
    CHECK(tokenizer.Decode(*ids, /*skip_special_tokens=*/false) == valid);
  }
}

}  // namespace sglrun::golden
