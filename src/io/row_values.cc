#include "io/row_values.h"

#include "base/utf8.h"

namespace sglrun::io {
namespace {

void TextsIfAny(JsonWriter& w, const char* key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  w.Key(key);
  w.BeginArray();
  for (const std::string& text : texts) WriteText(w, text);
  w.EndArray();
}

}  // namespace

void WriteText(JsonWriter& w, const std::string& text) {
  if (IsValidUtf8(text)) {
    w.String(text);
  } else {
    w.String(ToValidUtf8(text));
  }
}

void WriteLogprob(JsonWriter& w, std::optional<float> logprob) {
  if (logprob.has_value()) {
    w.Float(*logprob);
  } else {
    w.Null();
  }
}

void WriteGrammar(JsonWriter& w, const GrammarResult& grammar) {
  w.Key("grammar");
  w.BeginObject();
  w.Key("complete");
  w.Bool(grammar.complete);
  if (grammar.forced_end) {
    w.Key("forced_end");
    w.Bool(true);
  }
  TextsIfAny(w, "relaxed", grammar.relaxed);
  TextsIfAny(w, "notes", grammar.notes);
  w.EndObject();
}

void WriteInputPlace(JsonWriter& w, std::int64_t line, const std::string& file) {
  w.Key("line");
  w.Int(line);
  if (file.empty()) return;
  w.Key("file");
  WriteText(w, file);
}

void WriteErrorMember(JsonWriter& w, const RecordError& error, std::int64_t line,
                      const std::string& file) {
  w.Key("error");
  w.BeginObject();
  w.Key("message");
  WriteText(w, error.message);
  w.Key("type");
  WriteText(w, error.type);
  w.Key("code");
  w.Int(error.code);
  w.Key("param");
  if (error.param.empty()) {
    w.Null();
  } else {
    WriteText(w, error.param);
  }
  WriteInputPlace(w, line, file);
  w.EndObject();
}

}  // namespace sglrun::io
