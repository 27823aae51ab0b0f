// Assigns each name of a template to a variable. jinja2 compiles a template into nested Python
// functions and decides at compile time which variable a name refers to. Templates depend on this
// decision (which variables a loop can change, which ones a macro sees), so it is reproduced here.
//
// A function (the template, a macro, a recursive loop) has slots, one for each name and level of
// nesting. Entering a scope loads the variables it owns: from the caller's data, from an outer
// variable, or as missing.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sglrun::jinja {

struct FunctionInfo {
  FunctionInfo* parent = nullptr;
  int depth = 0;  // functions around it
  std::map<std::pair<int, std::string>, std::size_t> slots;

  std::size_t Slot(int level, const std::string& name) {
    return slots.emplace(std::pair(level, name), slots.size()).first->second;
  }
};

// A variable as seen from a place: the number of functions outwards, and the slot.
struct Variable {
  int hops = 0;
  std::size_t slot = 0;
};

struct Scope {
  enum class Load { kResolve, kAlias, kMissing, kParameter };
  struct Entry {
    std::size_t slot = 0;
    Load load = Load::kMissing;
    std::string name = {};  // kResolve
    Variable source = {};   // kAlias
  };
  std::vector<Entry> entries;
};

}  // namespace sglrun::jinja
