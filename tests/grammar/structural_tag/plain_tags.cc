#include "plain_tags.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string_view>
#include <vector>

namespace sglrun::grammar {
namespace {

std::vector<std::string> TextsOf(const Json* list) {
  std::vector<std::string> texts;
  if (list == nullptr) return texts;
  if (list->is_string()) return {list->as_string()};
  for (const Json& item : list->as_array()) texts.push_back(item.as_string());
  return texts;
}

bool Flag(const Json& format, std::string_view name, bool otherwise) {
  const Json* flag = format.Find(name);
  return flag == nullptr ? otherwise : flag->as_bool();
}

bool ContainsAny(std::string_view text, const std::vector<std::string>& words) {
  return std::ranges::any_of(
      words, [&](const auto& word) { return text.find(word) != std::string_view::npos; });
}

// The tag around: its ends, and the one that may follow directly, if one may.
struct Around {
  std::vector<std::string> ends = {};
  const std::string* next = nullptr;
};

// A format that a text switches to.
struct Rule {
  std::string trigger;
  std::string rest;  // must follow the trigger, before the format
  const Json* content;
  std::vector<std::string> ends;  // of a tag; none: the format stands alone
  bool is_tag;
};

class Divider {
 public:
  using Then = std::function<bool(std::size_t at)>;

  explicit Divider(const std::string& text) : text_(text) {}

  bool Match(const Json& format, std::size_t at, const Around& around, const Then& then) {
    const Json* named = format.Find("type");
    const std::string type = named == nullptr ? "tag" : named->as_string();
    if (type == "const_string") return Text(format.Find("value")->as_string(), at, then);
    if (type == "regex") return Pattern(format.Find("pattern")->as_string(), at, then);
    if (type == "any_text") return AnyText(format, at, around, then);
    if (type == "sequence")
      return Sequence(format.Find("elements")->as_array(), 0, at, around, then);
    if (type == "or") {
      return std::ranges::any_of(format.Find("elements")->as_array(), [&](const Json& element) {
        return Match(element, at, around, then);
      });
    }
    if (type == "optional") return Times(*format.Find("content"), 0, 1, at, around, then);
    if (type == "star") return Times(*format.Find("content"), 0, -1, at, around, then);
    if (type == "plus") return Times(*format.Find("content"), 1, -1, at, around, then);
    if (type == "repeat") {
      return Times(*format.Find("content"), Number(format, "min"), Number(format, "max"), at,
                   around, then);
    }
    if (type == "tag") {
      return Text(format.Find("begin")->as_string(), at,
                  [&](std::size_t inside) { return ContentAndEnd(format, inside, then); });
    }
    if (type == "tags_with_separator") return Separated(format, at, then);
    if (type == "triggered_tags") return Triggered(format, at, around, then);
    return Free(RulesOf(format), TextsOf(format.Find("excludes")), Flag(format, "loop", true), at,
                around, then);
  }

 private:
  static std::int64_t Number(const Json& format, std::string_view name) {
    return format.Find(name)->as_int();
  }

  bool Text(std::string_view text, std::size_t at, const Then& then) {
    return text_.compare(at, text.size(), text) == 0 && then(at + text.size());
  }

  bool Pattern(const std::string& pattern, std::size_t at, const Then& then) {
    static std::map<std::string, std::regex> known;
    const std::regex& regex = known.try_emplace(pattern, pattern).first->second;
    for (std::size_t to = at; to <= text_.size(); ++to) {
      if (std::regex_match(text_.substr(at, to - at), regex) && then(to)) return true;
    }
    return false;
  }

  // Whether the tag around is read as it is meant when a free text stands right before its end: no
  // end begins in the text that is complete before that one.
  static bool MayStop(const std::string& free, const Around& around) {
    if (around.next == nullptr) return true;
    const std::string whole = free + *around.next;
    for (const std::string& end : around.ends) {
      for (std::size_t at = 0; at < free.size(); ++at) {
        if (whole.compare(at, end.size(), end) == 0 && at + end.size() < whole.size()) return false;
      }
    }
    return true;
  }

  bool AnyText(const Json& format, std::size_t at, const Around& around, const Then& then) {
    std::vector<std::string> forbidden = TextsOf(format.Find("excludes"));
    forbidden.insert(forbidden.end(), around.ends.begin(), around.ends.end());
    const Json* most = format.Find("max_chars");
    for (std::size_t to = at; to <= text_.size(); ++to) {
      const std::string free = text_.substr(at, to - at);
      if (most != nullptr && static_cast<std::int64_t>(free.size()) > most->as_int()) return false;
      if (ContainsAny(free, forbidden)) return false;
      if (MayStop(free, around) && then(to)) return true;
    }
    return false;
  }

  bool Sequence(const Json::Array& elements, std::size_t index, std::size_t at,
                const Around& around, const Then& then) {
    if (index == elements.size()) return then(at);
    Around here = around;
    for (std::size_t i = index + 1; i < elements.size(); ++i) {
      if (!PlainAccepts(elements[i], "")) here.next = nullptr;
    }
    return Match(elements[index], at, here, [&](std::size_t next) {
      return Sequence(elements, index + 1, next, around, then);
    });
  }

  bool Times(const Json& content, std::int64_t min, std::int64_t max, std::size_t at,
             const Around& around, const Then& then) {
    if (min <= 0 && then(at)) return true;
    if (max == 0) return false;
    return Match(content, at, around, [&](std::size_t next) {
      // Rounds that take nothing can be done at once.
      if (next == at) return min > 0 && then(at);
      return Times(content, min - 1, max < 0 ? max : max - 1, next, around, then);
    });
  }

  bool ContentAndEnd(const Json& tag, std::size_t at, const Then& then) {
    return ContentAndEnds(*tag.Find("content"), TextsOf(tag.Find("end")), at, then);
  }

  bool ContentAndEnds(const Json& content, const std::vector<std::string>& ends, std::size_t at,
                      const Then& then) {
    Around inside;
    for (const std::string& end : ends) {
      if (!end.empty()) inside.ends.push_back(end);
    }
    return std::ranges::any_of(ends, [&](const std::string& end) {
      inside.next = &end;
      return Match(content, at, inside, [&](std::size_t stop) { return Text(end, stop, then); });
    });
  }

  bool Tags(const Json::Array& tags, std::size_t at, const Then& then) {
    return std::ranges::any_of(tags, [&](const Json& tag) { return Match(tag, at, {}, then); });
  }

  bool Separated(const Json& format, std::size_t at, const Then& then) {
    if (!Flag(format, "at_least_one", false) && then(at)) return true;
    return SomeSeparated(format, at, then);
  }

  bool SomeSeparated(const Json& format, std::size_t at, const Then& then) {
    return Tags(format.Find("tags")->as_array(), at, [&](std::size_t next) {
      if (then(next)) return true;
      if (Flag(format, "stop_after_first", false)) return false;
      return Text(format.Find("separator")->as_string(), next, [&](std::size_t begin) {
        return begin > at && SomeSeparated(format, begin, then);
      });
    });
  }

  static std::vector<Rule> RulesOf(const Json& format) {
    std::vector<Rule> rules;
    if (const Json* pairs = format.Find("rules")) {
      for (const Json& pair : pairs->as_array()) {
        rules.push_back({pair.as_array()[0].as_string(), "", &pair.as_array()[1], {}, false});
      }
      return rules;
    }
    for (const std::string& trigger : TextsOf(format.Find("triggers"))) {
      for (const Json& tag : format.Find("tags")->as_array()) {
        const std::string& begin = tag.Find("begin")->as_string();
        if (!begin.starts_with(trigger)) continue;
        rules.push_back({trigger, begin.substr(trigger.size()), tag.Find("content"),
                         TextsOf(tag.Find("end")), true});
      }
    }
    return rules;
  }

  bool Triggered(const Json& format, std::size_t at, const Around& around, const Then& then) {
    const bool one = Flag(format, "stop_after_first", false);
    const std::vector<Rule> rules = RulesOf(format);
    const Then free = [&](std::size_t from) {
      return Free(rules, TextsOf(format.Find("excludes")), !one, from, around, then);
    };
    if (!Flag(format, "at_least_one", false)) return free(at);
    return Tags(format.Find("tags")->as_array(), at, one ? then : free);
  }

  // Where the first trigger is complete in a free text, and where the longest that is complete
  // there begins; the size of the text and zero when there is none.
  struct Completed {
    std::size_t begin, end;
  };
  static std::optional<Completed> FirstCompleted(std::string_view free,
                                                 const std::vector<Rule>& rules) {
    for (std::size_t end = 1; end <= free.size(); ++end) {
      std::size_t longest = 0;
      for (const Rule& rule : rules) {
        if (free.substr(0, end).ends_with(rule.trigger)) {
          longest = std::max(longest, rule.trigger.size());
        }
      }
      if (longest > 0) return Completed{end - longest, end};
    }
    return std::nullopt;
  }

  bool Free(const std::vector<Rule>& rules, const std::vector<std::string>& excludes, bool loop,
            std::size_t from, const Around& around, const Then& then) {
    std::vector<std::string> forbidden = excludes;
    forbidden.insert(forbidden.end(), around.ends.begin(), around.ends.end());
    for (std::size_t to = from; to <= text_.size(); ++to) {
      const std::string free = text_.substr(from, to - from);
      if (ContainsAny(free, forbidden)) return false;
      const std::optional<Completed> first = FirstCompleted(free, rules);
      if (!first) {
        if (MayStop(free, around) && then(to)) return true;
        continue;
      }
      for (const Rule& rule : rules) {
        if (!free.ends_with(rule.trigger)) continue;
        const std::size_t begin = free.size() - rule.trigger.size();
        // A longer trigger may complete later when it began no later.
        if (first->end == free.size() ? begin != first->begin : begin > first->begin) continue;
        const Then after = [&](std::size_t next) {
          return loop ? Free(rules, excludes, loop, next, around, then) : then(next);
        };
        const Then inside = [&](std::size_t next) {
          return rule.is_tag ? ContentAndEnds(*rule.content, rule.ends, next, after)
                             : Match(*rule.content, next, around, after);
        };
        if (Text(rule.rest, to, inside)) return true;
      }
    }
    return false;
  }

  const std::string& text_;
};

}  // namespace

bool PlainAccepts(const Json& format, const std::string& text) {
  return Divider(text).Match(format, 0, {}, [&](std::size_t at) { return at == text.size(); });
}

}  // namespace sglrun::grammar
