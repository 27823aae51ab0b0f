// The table of fields and what is made from it.
#include "request/fields.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "request/fields_doc.h"

namespace sglrun::request {
namespace {

TEST_CASE("every field has a unique name, a default that is JSON, and a summary") {
  std::set<std::pair<Scope, std::string_view>> seen;
  for (const Field& field : Fields()) {
    INFO(field.name);
    CHECK(seen.emplace(field.scope, field.name).second);
    CHECK(ParseJson(field.default_json).ok());
    CHECK(!field.summary.empty());
    CHECK(field.summary.back() != '.');
    CHECK(FindField(field.scope, field.name)->name == field.name);
  }
}

TEST_CASE("every parameter that is used has a member, and its default is the member's") {
  const SamplingParams defaults;
  for (const Field& field : Fields()) {
    if (field.scope != Scope::kSamplingParams || field.treatment != Treatment::kUsed) continue;
    INFO(field.name);
    REQUIRE(field.member.index() != 0);
    const Json value = ParseJson(field.default_json).value().value;
    if (const auto* number = std::get_if<double SamplingParams::*>(&field.member)) {
      CHECK(defaults.**number == value.as_double());
    } else if (const auto* flag = std::get_if<bool SamplingParams::*>(&field.member)) {
      CHECK(defaults.**flag == value.as_bool());
    } else if (const auto* integer = std::get_if<std::int64_t SamplingParams::*>(&field.member)) {
      const std::int64_t expected = field.name == "top_k" ? kTopKAll : value.as_int();
      CHECK(defaults.**integer == expected);
    }
  }
}

TEST_CASE("the fields of SGLang's request are all known") {
  for (const char* name : {"text",
                           "input_ids",
                           "input_embeds",
                           "image_data",
                           "audio_data",
                           "video_data",
                           "sampling_params",
                           "rid",
                           "return_logprob",
                           "logprob_start_len",
                           "top_logprobs_num",
                           "token_ids_logprob",
                           "return_text_in_logprobs",
                           "stream",
                           "log_metrics",
                           "modalities",
                           "session_params",
                           "session_id",
                           "lora_path",
                           "custom_logit_processor",
                           "return_hidden_states",
                           "return_prompt_token_ids",
                           "return_sampling_mask",
                           "return_entropy",
                           "return_bytes",
                           "return_routed_experts",
                           "routed_experts_start_len",
                           "return_indexer_topk",
                           "multi_item_delimiter_indices",
                           "positional_embed_overrides",
                           "require_reasoning",
                           "max_thinking_tokens",
                           "video_config",
                           "use_audio_in_video",
                           "mm_hashes",
                           "mm_content_hashes",
                           "images_config",
                           "return_flat_raw_top_logprobs",
                           "priority",
                           "extra_key",
                           "cache_salt",
                           "routing_key",
                           "conversation_id",
                           "custom_labels",
                           "no_logs",
                           "background",
                           "received_time",
                           "external_trace_header",
                           "bootstrap_host",
                           "decode_tp_size",
                           "routed_dp_rank",
                           "data_parallel_rank",
                           "disagg_prefill_dp_rank",
                           "kv_router_hint",
                           "need_wait_for_mm_inputs",
                           "num_items_assigned",
                           "encoder_urls",
                           "http_worker_ipc",
                           "lora_id",
                           "watermark",
                           "sampling_logprobs_mode",
                           "return_flat_raw_output_top_logprobs",
                           "mm_processor_kwargs",
                           "token_indices_to_pool",
                           "kv_hints",
                           "bootstrap_pair_key"}) {
    INFO(name);
    CHECK(FindField(Scope::kRecord, name) != nullptr);
  }
  for (const char* name : {"max_new_tokens",
                           "stop",
                           "stop_token_ids",
                           "stop_regex",
                           "temperature",
                           "top_p",
                           "top_k",
                           "min_p",
                           "frequency_penalty",
                           "presence_penalty",
                           "repetition_penalty",
                           "min_new_tokens",
                           "n",
                           "json_schema",
                           "regex",
                           "ebnf",
                           "structural_tag",
                           "ignore_eos",
                           "skip_special_tokens",
                           "spaces_between_special_tokens",
                           "no_stop_trim",
                           "custom_params",
                           "logit_bias",
                           "sampling_seed",
                           "stream_interval",
                           "beam_width",
                           "dtype"}) {
    INFO(name);
    CHECK(FindField(Scope::kSamplingParams, name) != nullptr);
  }
}

TEST_CASE("ranges say what they hold") {
  CHECK(Range{0, 1, true}.ToString() == "in (0, 1]");
  CHECK(FindField(Scope::kSamplingParams, "top_k")->range.ToString() == "-1 or at least 1");
  CHECK(FindField(Scope::kSamplingParams, "presence_penalty")->range.ToString() == "in [-2, 2]");
  CHECK(Range{}.ToString() == "");
  CHECK_FALSE(Range{0, 1, true}.Contains(0));
  CHECK(Range{0, 1, true}.Contains(1));
  CHECK(FindField(Scope::kSamplingParams, "top_k")->range.Contains(-1));
}

TEST_CASE("the table of `sglrun fields` has one line a field") {
  const std::string table = FieldsTable();
  for (const Field& field : Fields()) {
    INFO(field.name);
    CHECK(table.find("\n  " + std::string(field.name) + " ") != std::string::npos);
  }
  CHECK(table.find("keep the most likely tokens up to this total probability (in (0, 1])") !=
        std::string::npos);
  CHECK(FieldEntries().size() == Fields().size());
}

TEST_CASE("the JSON Schema names every field and closes sampling_params only") {
  const Json schema = InputSchema();
  CHECK(schema.Find("$schema")->as_string() == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema.Find("additionalProperties") == nullptr);
  const std::string text = schema.Dump();
  CHECK(ParseJson(text).ok());
  for (const Field& field : Fields()) {
    CHECK(text.find("\"" + std::string(field.name) + "\":{") != std::string::npos);
  }
  CHECK(text.find(R"("top_p":{"anyOf":[{"type":"number","exclusiveMinimum":0,"maximum":1},)"
                  R"({"type":"null"}])") != std::string::npos);
  CHECK(text.find("\"additionalProperties\":false") != std::string::npos);
}

}  // namespace
}  // namespace sglrun::request
