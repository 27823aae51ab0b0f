#include "report/html_page.h"

#include <algorithm>

#include "base/strings.h"
#include "console/version.h"
#include "report/html_text.h"
#include "report/page_style.h"
#include "report/svg_chart.h"

namespace sglrun::report {
namespace {

std::string Head(const Account& account) {
  // The policy forbids scripts and everything from elsewhere, should a text ever be taken for a
  // tag.
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'\">\n<title>sglrun: " +
         Html(account.model) + ", " + Html(account.started) + "</title>\n<style>" +
         std::string(kPageStyle) + "</style>\n</head>\n";
}

std::string Title(const Account& account) {
  std::string out = "<h1>" + Html(account.model) + "</h1>\n<p" +
                    (IsGood(account) ? "" : " class=\"bad\"") + ">" + Html(Outcome(account)) +
                    "</p>\n<p class=\"soft\">" + Html(account.started) + ", " + Html(account.isa) +
                    ", " + FormatCount(account.threads) + " threads</p>\n";
  const std::string coverage = Coverage(account);
  if (!coverage.empty()) out += "<p>" + Html(coverage) + "</p>\n";
  return out;
}

std::string Tile(const std::string& value, const std::string& name, bool bad = false) {
  return std::string("<div class=\"tile\"><b") + (bad ? " class=\"bad\"" : "") + ">" + value +
         "</b><span>" + name + "</span></div>\n";
}

std::string Tiles(const Account& account) {
  return "<div class=\"tiles\">\n" + Tile(FormatCount(account.records), "records") +
         Tile(FormatCount(account.results), "results") +
         Tile(FormatCount(account.failed), "failed", account.failed > 0) +
         Tile(FormatCount(account.prompt_tokens), "prompt tokens") +
         Tile(FormatCount(account.cached_tokens), "of these cached") +
         Tile(FormatCount(account.output_tokens), "output tokens") +
         Tile(FigureText(account.tokens_per_s), "tokens per second") +
         Tile(TimeText(account.wall_s), "in all") + Tile(TimeText(account.load_s), "loading") +
         Tile(FormatByteSize(account.peak_rss_bytes), "peak memory") + "</div>\n";
}

std::string Course(const Timeline& timeline) {
  std::string out = "<h2>Over time</h2>\n";
  const std::vector<Curve> curves = Curves(timeline);
  if (curves.empty()) return out + "<p>Nothing was computed.</p>\n";
  out += "<p class=\"soft lead\">From the moment the model was loaded; a slice is " +
         TimeText(timeline.slice_s) + " wide.</p>\n";
  for (const Curve& curve : curves) out += TimeFigure(curve, timeline);
  return out;
}

std::string BarTable(std::string_view style, const std::vector<NamedCount>& rows) {
  std::int64_t highest = 1;
  for (const NamedCount& row : rows) highest = std::max(highest, row.count);
  std::string out = "<table class=\"bars " + std::string(style) + "\">\n";
  for (const NamedCount& row : rows) {
    const double share = static_cast<double>(row.count) / static_cast<double>(highest);
    out += "<tr><th scope=\"row\">" + Html(row.name) + "</th><td>" + Bar(share) +
           "</td><td class=\"number\">" + FormatCount(row.count) + "</td></tr>\n";
  }
  return out + "</table>\n";
}

std::string LengthFigure(std::string_view title, const Lengths& lengths) {
  std::vector<NamedCount> rows;
  for (const LengthBin& bin : lengths.bins) rows.push_back({BinText(bin), bin.count});
  return "<figure>\n<figcaption><b>" + std::string(title) + "</b><span>" +
         Html(LengthsText(lengths)) + "</span></figcaption>\n" + BarTable("lengths", rows) +
         "</figure>\n";
}

std::string FinishReasons(const RunData& data) {
  const std::vector<NamedCount>& reasons = data.finish_reasons;
  return "<h2>Finish reasons</h2>\n" +
         (reasons.empty() ? "<p>No results.</p>\n" : BarTable("reasons", reasons));
}

std::string ErrorSection(const ErrorKind& kind) {
  std::string out = "<h3>" + FormatCount(kind.count) + " × <code>" + Html(ErrorTitle(kind)) +
                    "</code></h3>\n<table>\n";
  for (const FailedRecord& record : kind.first) {
    out += "<tr><td><code>" + Html(record.place) + "</code> <span class=\"soft\">" +
           Html(record.id) + "</span><br>" + Html(record.message) + "</td></tr>\n";
  }
  return out + "</table>\n";
}

std::string Errors(const RunData& data) {
  std::string out = "<h2>Errors</h2>\n";
  if (data.errors.empty()) return out + "<p>None.</p>\n";
  for (const ErrorKind& kind : data.errors) out += ErrorSection(kind);
  if (data.other_errors > 0) {
    out += "<p>" + FormatCount(data.other_errors) + " more of other kinds.</p>\n";
  }
  return out;
}

std::string Slowest(const RunData& data) {
  std::string out = "<h2>Slowest results</h2>\n";
  if (data.slowest.empty()) return out + "<p>No results.</p>\n";
  out +=
      "<p class=\"soft\">From submission to the last token, waiting for a place in the batch "
      "included.</p>\n<table class=\"slow\">\n";
  for (const SlowResult& slow : data.slowest) {
    out += "<tr><td class=\"number\">" + TimeText(slow.seconds) + "</td><td><code>" +
           Html(slow.place) + "</code> <span class=\"soft\">" + Html(slow.id) + "</span><br>" +
           FormatCount(slow.prompt_tokens) + " prompt tokens, " + FormatCount(slow.output_tokens) +
           " output tokens, " + Html(slow.finish) + "</td></tr>\n";
  }
  return out + "</table>\n";
}

std::string Settings(std::string_view title, const Json::Object& settings) {
  if (settings.empty()) return "";
  std::string out = "<h3>" + std::string(title) + "</h3>\n<table class=\"settings\">\n";
  for (const auto& [name, value] : settings) {
    out += "<tr><th scope=\"row\">" + Html(name) + "</th><td><code>" + Html(SettingText(value)) +
           "</code></td></tr>\n";
  }
  return out + "</table>\n";
}

std::string Configuration(const Account& account) {
  return "<h2>Configuration</h2>\n" + Settings("Engine", account.engine) +
         Settings("Sampling defaults", account.sampling_defaults) +
         Settings("Options", account.options);
}

}  // namespace

std::string HtmlPage(const Account& account) {
  const RunData& data = account.data;
  return Head(account) + "<body>\n<main>\n" + Title(account) + Tiles(account) +
         Course(data.timeline) + "<h2>Lengths</h2>\n<div class=\"pair\">\n" +
         LengthFigure("Prompt tokens", data.prompt_lengths) +
         LengthFigure("Output tokens", data.output_lengths) + "</div>\n" + FinishReasons(data) +
         Errors(data) + Slowest(data) + Configuration(account) + "<p class=\"soft\">sglrun " +
         Html(console::Version()) + "</p>\n</main>\n</body>\n</html>\n";
}

}  // namespace sglrun::report
