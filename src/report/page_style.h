// The style sheet of the page.
#pragma once

#include <string_view>

namespace sglrun::report {

inline constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1c2024; --soft: #5b6570; --edge: #d9dee3;
  --card: #f5f7f9; --ink: #1f6feb; --fill: #1f6feb33; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --text: #e4e8ec; --soft: #9aa5b1;
  --edge: #353c44; --card: #1d2226; --ink: #6cb0ff; --fill: #6cb0ff33; --bad: #ff8a7a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; }
.soft, figcaption span, .tile span, th { color: var(--soft); }
p.lead { margin-bottom: .75rem; }
.bad { color: var(--bad); }
.tiles { display: grid; gap: .5rem; margin-top: 1.25rem;
  grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); }
.tile { padding: .6rem .8rem; border: 1px solid var(--edge); border-radius: 6px;
  background: var(--card); }
.tile b { display: block; font-size: 1.25rem; line-height: 1.3; }
.tile span { font-size: .85rem; }
.pair { display: grid; gap: 0 2.5rem; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); }
figure { margin: 0 0 1.5rem; }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem;
  margin-bottom: .35rem; }
.plot { display: grid; grid-template-columns: 3.5rem 1fr; gap: .15rem .5rem; font-size: .8rem;
  color: var(--soft); }
.plot svg { width: 100%; height: 8rem; overflow: visible; }
.x, .y { display: flex; justify-content: space-between; }
.x { grid-column: 2; }
.y { flex-direction: column; text-align: right; margin: -.6rem 0; }
.grid { fill: none; stroke: var(--edge); }
.area { fill: var(--fill); }
.line { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.grid, .line { vector-effect: non-scaling-stroke; }
.tips { fill: transparent; }
.tips rect:hover { fill: var(--fill); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--edge); }
th { font-weight: normal; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bars td, .bars th { border: 0; padding-top: .05rem; padding-bottom: .05rem; }
.bars th { width: 1%; min-width: 5.5rem; white-space: nowrap; }
.bars .number { width: 1%; }
.reasons th { white-space: normal; min-width: 8rem; }
svg.bar { display: block; width: 100%; height: 1.1rem; margin-top: .2rem; }
svg.bar rect { fill: var(--ink); }
code { font: .9em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
.settings th { width: 14rem; }
.slow .number { width: 5rem; }
@media (max-width: 30rem) { .settings th { width: 11rem; } }
@media print { details { display: block; } .tips { display: none; } }
)";

}  // namespace sglrun::report
