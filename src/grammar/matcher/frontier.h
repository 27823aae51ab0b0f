// All parse positions of a text in a program, and the step by one byte.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/base/limits.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/stacks.h"

namespace sglrun::grammar {

struct Item {
  StateId state = 0;
  StackId stack = 0;  // where the state's machine returns to

  friend auto operator<=>(const Item&, const Item&) = default;
};

// Items are sorted and distinct; calls are already made, so each item stands for the bytes and
// tokens of its own state alone.
struct Frontier {
  std::vector<Item> items;
  bool complete = false;  // the text so far is a member
  bool left = false;      // a machine that is walked alone has ended here
  // An element that must differ from others has begun or ended, unchecked, on the way here.
  bool unchecked = false;

  bool Dead() const { return items.empty() && !complete && !left; }
  friend bool operator==(const Frontier&, const Frontier&) = default;
};

// Steps frontiers of one Stacks. Holds scratch memory only.
class Stepper {
 public:
  // `text`: what has been read when a step is taken, its byte included; for elements that must
  // differ from others. Without it they are not checked (Frontier::unchecked).
  Stepper(const Program& program, Stacks& stacks, const std::string* text = nullptr)
      : program_(program), stacks_(stacks), text_(text) {}

  void Start(Frontier& to);
  // `to` is dead when no item takes the byte (token).
  void StepByte(std::span<const Item> from, std::uint8_t byte, Frontier& to);
  void StepToken(std::span<const Item> from, std::int32_t token, Frontier& to);
  // The frontier after a machine called from these sites has ended.
  void Return(std::span<const Site> sites, Frontier& to);

  // Whether the edge of the item's state leads to where a limit on characters can be kept.
  bool MayTake(const Item& from, const Program::ByteEdge& edge) const;

  // Items looked at; `to` of a step is cut short past the limit on items.
  std::int64_t work() const { return work_; }

 private:
  struct Pending {
    MachineId machine;
    Site site;

    friend auto operator<=>(const Pending&, const Pending&) = default;
  };

  void Begin(Frontier& to);
  void Add(Item item);
  bool IsNew(Item item);
  void AddCounted(const Item& from, StateId target);
  bool GoesOn(const Item& item) const;
  void ReturnTo(const Site& site);
  void EndElement(const Site& site, StateId target);
  void CallFrom(Item item);
  void CallAt(MachineId machine, const Site& site);
  void Close();
  void MakeCalls();
  void DropNeedlessCounts();
  void Finish();

  const Program& program_;
  Stacks& stacks_;
  const std::string* text_;
  Frontier* to_ = nullptr;
  std::vector<Pending> pending_;  // a heap, the lowest machine on top
  std::vector<Site> sites_;
  std::vector<std::int32_t> slots_;  // set of items once they are many; index + 1, 0: free
  std::int64_t work_ = 0;
};

}  // namespace sglrun::grammar
