// What a grammar needs to know of a tokenizer: the byte string of every text token, sorted, as a
// trie in flat arrays; and which ids are tokens without text.
//
// A text token has bytes and is not special. Special, unused, padding and out-of-range ids are
// never text. Several ids may have the same bytes; all of them are kept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ir/byte_classes.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::grammar {

class Vocabulary {
 public:
  // `logit_width`: ids [tokenizer.vocab_size(), logit_width) exist in a mask but are never allowed.
  Vocabulary(const tokenizer::Tokenizer& tokenizer, std::int64_t logit_width);
  // For tests: the text of every id, "" for ids that are no text.
  Vocabulary(std::span<const std::string> texts, std::int64_t logit_width);

  std::int64_t logit_width() const { return logit_width_; }
  std::int64_t words_per_mask() const { return (logit_width_ + 31) / 32; }
  bool IsText(std::int32_t id) const { return !Text(id).empty(); }
  std::string_view Text(std::int32_t id) const;  // "" for ids that are no text
  bool IsToken(std::int32_t id) const;           // text, special or control, but not unused
  // The id that a grammar may name as `name` ("<|im_end|>"): one vocabulary entry.
  std::optional<std::int32_t> Find(std::string_view name) const;

  // Node i of the trie, in preorder: one byte below its parent. Node 0 is the root.
  struct Node {
    std::uint8_t byte = 0;
    std::uint8_t depth = 0;        // bytes from the root; tokens longer than 255 bytes are no text
    std::int32_t subtree_end = 0;  // nodes [i + 1, subtree_end) lie below i
    std::int32_t first_token = 0;  // tokens [first_token, next node's first_token) end here
  };
  std::span<const Node> nodes() const { return nodes_; }
  // By node: the bytes of all nodes below it, and how many levels of them there are.
  std::span<const ByteClasses> below() const { return below_; }
  std::span<const std::uint8_t> heights() const { return heights_; }
  // The bits of nodes with others below them.
  std::span<const std::uint64_t> inner_nodes() const { return inner_; }
  std::int32_t parent(std::int32_t node) const { return parents_[static_cast<std::size_t>(node)]; }
  // All nodes of a byte, in order.
  std::span<const std::int32_t> nodes_with(std::uint8_t byte) const {
    return std::span(by_byte_).subspan(byte_begin_[byte],
                                       byte_begin_[byte + std::size_t{1}] - byte_begin_[byte]);
  }
  // Ids in the order of the trie: those that end at node i or below are
  // [nodes()[i].first_token, nodes()[subtree_end].first_token). A last node closes the array.
  std::span<const std::int32_t> sorted_ids() const { return sorted_ids_; }
  int longest_text() const { return longest_text_; }  // in bytes
  // The bits of all text tokens.
  std::span<const std::uint32_t> text_mask() const { return text_mask_; }
  // Data that a user of the vocabulary computes and stores with it (matcher/shared_masks.h): one
  // object, created at first use. Thread-safe. T is always the same type.
  template <class T>
  T& Companion() const {
    std::call_once(kept_->made, [this] { kept_->companion = std::make_shared<T>(); });
    return *static_cast<T*>(kept_->companion.get());
  }

 private:
  struct Kept {
    std::once_flag made;
    std::shared_ptr<void> companion;
  };

  void AddText(std::string_view text);
  std::int32_t IdCount() const { return static_cast<std::int32_t>(text_begin_.size()) - 1; }
  void Build();
  void FindWhatIsBelow();
  void IndexNodes();

  const tokenizer::Tokenizer* tokenizer_ = nullptr;
  std::int64_t logit_width_ = 0;
  int longest_text_ = 0;
  std::string arena_;
  std::vector<std::uint32_t> text_begin_;  // [ids + 1]
  std::vector<Node> nodes_;
  std::vector<ByteClasses> below_;
  std::vector<std::uint8_t> heights_;
  std::vector<std::uint64_t> inner_;
  std::vector<std::int32_t> parents_, by_byte_;
  std::array<std::size_t, 257> byte_begin_{};  // into by_byte_
  std::vector<std::int32_t> sorted_ids_;
  std::vector<std::uint32_t> text_mask_;
  std::unique_ptr<Kept> kept_ = std::make_unique<Kept>();
};

}  // namespace sglrun::grammar
