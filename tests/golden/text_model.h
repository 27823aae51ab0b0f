// A model with its tokenizer and engine, opened the way the commands open it, for tests that go
// from text to tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "serve/load.h"
#include "serve/settings.h"

namespace sglrun::golden {

class TextModel {
 public:
  // Fails the test with the error sentence when the model cannot be loaded.
  TextModel(const std::string& path, const std::string& dtype);

  const tokenizer::Tokenizer& tokenizer() const { return *source_->tokenizer; }

  // Greedy tokens for every prompt, all in one batch.
  std::vector<GenerateResult> Greedy(const std::vector<std::vector<std::int32_t>>& prompts,
                                     std::int64_t max_new_tokens, bool ignore_eos);
  // Log-probability of every prompt token but the first.
  std::vector<float> PromptLogprobs(const std::vector<std::int32_t>& prompt);

 private:
  std::vector<GenerateResult> Run(std::vector<GenerateRequest> requests);

  serve::ServeSettings settings_;
  std::unique_ptr<serve::Compute> compute_;
  std::unique_ptr<serve::ModelSource> source_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<engine::Engine> engine_;
};

// The lines of tests/data/tokenizer_strings.jsonl against a golden of the reference tokenizer.
void CheckTokenizerStrings(const tokenizer::Tokenizer& tokenizer, const std::string& golden);

}  // namespace sglrun::golden
