#include "model/files/gguf_names.h"

#include "model/blocks/decoder_blocks.h"

namespace sglrun::model {
namespace {

constexpr std::string_view kLayerPrefix = "blk.";

// The layer and what follows it in "blk.N.rest".
std::optional<std::pair<std::int64_t, std::string_view>> SplitLayer(std::string_view name) {
  if (!name.starts_with(kLayerPrefix)) return std::nullopt;
  name.remove_prefix(kLayerPrefix.size());
  const std::size_t end = name.find('.');
  if (end == 0 || end == std::string_view::npos || end > 6) return std::nullopt;
  const std::string_view layer = name.substr(0, end);
  if (layer.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return std::pair(std::stoll(std::string(layer)), name.substr(end + 1));
}

}  // namespace

GgufNames::GgufNames(const ModelSpec& spec)
    : layers_(static_cast<std::int64_t>(spec.layers.size())) {
  DecoderBlocks blocks(spec);
  blocks.List(*this);
}

void GgufNames::Add(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    (layer() ? in_layer_ : outside_).emplace(source.gguf_name, source);
  }
}

bool GgufNames::IsLater(std::string_view name) const {
  const auto split = SplitLayer(name);
  return split && split->first >= layers_;
}

std::optional<std::string> GgufNames::Find(std::string_view name) const {
  const auto split = SplitLayer(name);
  const auto& sources = split ? in_layer_ : outside_;
  const auto found = sources.find(split ? split->second : name);
  if (found == sources.end()) return std::nullopt;
  const Source& source = found->second;
  return split ? LayerName(split->first, source.name) : source.name;
}

}  // namespace sglrun::model
