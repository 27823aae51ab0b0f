#include "report/text_report.h"

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "report/course.h"

namespace sglrun::report {
namespace {

constexpr std::size_t kFewestColumns = 20;
constexpr std::size_t kMostColumns = 100;

// Breaks after blanks where it can, within a word where it must; later lines begin at `indent`.
std::string Wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  const std::size_t room = std::max(columns, indent + 10) - indent;
  std::string out = std::string(indent, ' '), line;
  std::size_t used = 0, last_blank = 0;
  const auto break_at = [&](std::size_t bytes) {
    out += line.substr(0, bytes) + "\n" + std::string(indent, ' ');
    line.erase(0, bytes + (bytes < line.size() && line[bytes] == ' ' ? 1 : 0));
    used = CountCodePoints(line);
    last_blank = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (used == room) break_at(last_blank > 0 ? last_blank : line.size());
    const std::size_t begin = at;
    DecodeUtf8(text, at);
    if (text[begin] == ' ') last_blank = line.size();
    line += text.substr(begin, at - begin);
    ++used;
  }
  return out + line + "\n";
}

std::string Repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string Padded(std::string text, std::size_t width) {
  const std::size_t used = CountCodePoints(text);
  return used < width ? std::string(width - used, ' ') + text : text;
}

std::string LeftPadded(std::string text, std::size_t width) {
  const std::size_t used = CountCodePoints(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

// `width` values whose averages are those of the curve.
std::vector<double> Resampled(const std::vector<double>& values, double slices, std::size_t width) {
  std::vector<double> out(width, 0.0);
  const double step = slices / static_cast<double>(width);
  for (std::size_t column = 0; column < width; ++column) {
    const double from = static_cast<double>(column) * step, to = from + step;
    for (auto i = static_cast<std::size_t>(from); i < values.size(); ++i) {
      const double overlap =
          std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i));
      if (overlap <= 0) break;
      out[column] += values[i] * overlap / step;
    }
  }
  return out;
}

std::string Blocks(const std::vector<double>& values, double top) {
  static constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (const double value : values) {
    const double level = std::clamp(value / top, 0.0, 1.0) * 8;
    // Little is more than nothing.
    out += kBlocks[value > 0 ? std::max<std::size_t>(static_cast<std::size_t>(level + 0.5), 1) : 0];
  }
  return out;
}

std::string CurveText(const Curve& curve, const Timeline& timeline, std::size_t columns) {
  const std::size_t width = columns - 2;
  const std::string end = TimeText(timeline.end_s);
  const std::vector<double> values =
      Resampled(curve.values, timeline.end_s / timeline.slice_s, width);
  return Wrapped(std::string(curve.title) + ": mean " + FigureText(curve.mean) + ", highest " +
                     FigureText(curve.highest),
                 0, columns) +
         "  " + Blocks(values, std::max(curve.highest, 1e-9)) + "\n  0 s" +
         Padded(end, std::max(width, end.size() + 4) - 3) + "\n";
}

// "  name  12  ████"; where the names leave no room for bars, they stand above them.
std::string BarLines(const std::vector<NamedCount>& rows, std::size_t columns) {
  std::size_t names = 0, counts = 0;
  std::int64_t highest = 1;
  for (const NamedCount& row : rows) {
    names = std::max(names, CountCodePoints(row.name));
    counts = std::max(counts, FormatCount(row.count).size());
    highest = std::max(highest, row.count);
  }
  const bool beside = 2 * (names + counts) <= columns;
  const std::size_t taken = (beside ? names + 3 : 4) + counts + 2;
  const std::size_t room = columns > taken ? columns - taken : 1;
  std::string out;
  for (const NamedCount& row : rows) {
    const double share = static_cast<double>(row.count) / static_cast<double>(highest);
    const auto halves = static_cast<std::size_t>(std::ceil(share * 2 * static_cast<double>(room)));
    out += beside ? "  " + Padded(row.name, names) + " " : Wrapped(row.name, 2, columns) + "    ";
    out += Padded(FormatCount(row.count), counts) + "  " + Repeated("█", halves / 2) +
           (halves % 2 == 1 ? "▌" : "") + "\n";
  }
  return out;
}

std::string LengthLines(const std::string& title, const Lengths& lengths, std::size_t columns) {
  std::vector<NamedCount> rows;
  for (const LengthBin& bin : lengths.bins) rows.push_back({BinText(bin), bin.count});
  return "\n" + Wrapped(title + ": " + LengthsText(lengths), 0, columns) + BarLines(rows, columns);
}

std::string Summary(const Account& account, std::size_t columns) {
  std::string out = Wrapped(Printable(account.model) + ": " + Outcome(account), 0, columns);
  out += Wrapped(Printable(account.started) + ", " + Printable(account.isa) + ", " +
                     FormatCount(account.threads, "thread") + ", " + TimeText(account.wall_s) +
                     ", of these " + TimeText(account.load_s) + " loading, peak memory " +
                     FormatByteSize(account.peak_rss_bytes),
                 0, columns);
  out += Wrapped(FormatCount(account.records, "record") + ", " +
                     FormatCount(account.results, "result") + ", " + FormatCount(account.failed) +
                     " failed, " + FormatCount(account.prompt_tokens) + " prompt tokens (" +
                     FormatCount(account.cached_tokens) + " cached), " +
                     FormatCount(account.output_tokens) + " output tokens, " +
                     FigureText(account.tokens_per_s) + " tokens/s",
                 0, columns);
  const std::string coverage = Coverage(account);
  return coverage.empty() ? out : out + Wrapped(coverage, 0, columns);
}

std::string ErrorLines(const RunData& data, std::size_t columns) {
  if (data.errors.empty()) return "\nErrors: none\n";
  std::string out = "\nErrors\n";
  for (const ErrorKind& kind : data.errors) {
    out += Wrapped(FormatCount(kind.count) + " x " + Printable(ErrorTitle(kind)), 2, columns);
    for (const FailedRecord& record : kind.first) {
      out += Wrapped(
          Printable(record.place) + " (" + Printable(record.id) + "): " + Printable(record.message),
          4, columns);
    }
  }
  if (data.other_errors > 0) {
    out += "  " + FormatCount(data.other_errors) + " more of other kinds\n";
  }
  return out;
}

std::string SlowestLines(const RunData& data, std::size_t columns) {
  if (data.slowest.empty()) return "";
  std::string out =
      "\n" + Wrapped("Slowest results, from submission to the last token", 0, columns);
  for (const SlowResult& slow : data.slowest) {
    out +=
        Wrapped(TimeText(slow.seconds) + ": " + Printable(slow.place) + " (" + Printable(slow.id) +
                    "), " + FormatCount(slow.prompt_tokens) + " prompt and " +
                    FormatCount(slow.output_tokens) + " output tokens, " + Printable(slow.finish),
                2, columns);
  }
  return out;
}

std::string SettingLines(const std::string& title, const Json::Object& settings,
                         std::size_t columns) {
  if (settings.empty()) return "";
  std::string out = "\n" + title + "\n";
  for (const auto& [name, value] : settings) {
    out +=
        Wrapped(LeftPadded(Printable(name), 26) + " " + Printable(SettingText(value)), 2, columns);
  }
  return out;
}

}  // namespace

std::string TextReport(const Account& account, std::size_t columns) {
  columns = std::clamp(columns, kFewestColumns, kMostColumns);
  const RunData& data = account.data;
  std::string out = Summary(account, columns);
  for (const Curve& curve : Curves(data.timeline)) {
    out += "\n" + CurveText(curve, data.timeline, columns);
  }
  out += LengthLines("Prompt tokens", data.prompt_lengths, columns);
  out += LengthLines("Output tokens", data.output_lengths, columns);
  std::vector<NamedCount> reasons;
  for (const NamedCount& reason : data.finish_reasons) {
    reasons.push_back({Printable(reason.name), reason.count});
  }
  if (!reasons.empty()) out += "\nFinish reasons\n" + BarLines(reasons, columns);
  out += ErrorLines(data, columns) + SlowestLines(data, columns);
  return out + SettingLines("Engine", account.engine, columns) +
         SettingLines("Sampling defaults", account.sampling_defaults, columns) +
         SettingLines("Options", account.options, columns);
}

}  // namespace sglrun::report
