#include "tokenizer/model_vocabulary.h"

namespace sglrun::tokenizer {

Result<Vocabulary> ParseModelVocabulary(const JsonView& model) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView vocab, model.Member("vocab"));
  return ParseVocabularyTable(vocab);
}

Result<Vocabulary> ParseVocabularyTable(const JsonView& table) {
  if (!table.json().is_object()) return table.Expected("an object");
  const Json::Object& members = table.json().as_object();
  Vocabulary vocabulary;
  vocabulary.Reserve(members.size());
  for (const auto& [text, id] : members) {
    if (!id.is_int()) {
      return JsonView(id, table.path() + "[\"" + text + "\"]").Expected("an integer");
    }
    const Status added = vocabulary.Add(text, id.as_int());
    if (added.ok()) continue;
    return Error{(table.path().empty() ? "" : table.path() + ": ") + added.error().message};
  }
  return vocabulary;
}

}  // namespace sglrun::tokenizer
