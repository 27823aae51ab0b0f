// Greedy answers that transformers gave, as scripts/goldens/* wrote them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sglrun::golden {

struct GreedyCase {
  std::string text;
  std::vector<std::int32_t> input_ids;
  std::vector<std::int32_t> output_ids;
  std::vector<double> gaps;  // between the two best logits of each step; may be absent
};

std::vector<GreedyCase> ReadGreedyCases(const std::string& path);
std::vector<std::vector<std::int32_t>> Prompts(const std::vector<GreedyCase>& cases);

}  // namespace sglrun::golden
