#include "run/prepared_record.h"

#include <utility>

#include "engine/result_room.h"

namespace sglrun::run {

std::int64_t MostRowBytes(const GenerateRequest& request, std::int64_t list_bytes) {
  return engine::kResultRowBytes + static_cast<std::int64_t>(request.rid.size()) + list_bytes;
}

Result<PreparedRecord, RecordError> PreparedRecord::Check(io::RequestList requests,
                                                          const Prepare& prepare) {
  PreparedRecord record;
  const std::size_t samples = requests.samples();
  for (std::size_t prompt = 0; prompt < requests.prompts(); ++prompt) {
    const GenerateRequest request = requests.Take(prompt * samples);
    SGLRUN_ASSIGN_OR_RETURN(const engine::PreparedPrompt prepared, prepare(request));
    record.result_bytes_ +=
        static_cast<std::int64_t>(samples) * MostRowBytes(request, prepared.result_bytes);
    SGLRUN_RETURN_IF_ERROR(engine::CheckResultRoom(record.result_bytes_));
    if (request.input_embeds == nullptr) {
      record.ids_.insert(record.ids_.end(), prepared.token_ids.begin(), prepared.token_ids.end());
    }
    record.ends_.push_back(record.ids_.size());
  }
  record.requests_ = std::move(requests);
  record.requests_.DropTokenPrompts();
  return record;
}

GenerateRequest PreparedRecord::operator[](std::size_t i) const {
  GenerateRequest request = requests_[i];
  if (request.input_embeds != nullptr) return request;
  const std::size_t prompt = i / requests_.samples();
  const auto begin =
      ids_.begin() + static_cast<std::ptrdiff_t>(prompt == 0 ? 0 : ends_[prompt - 1]);
  const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(ends_[prompt]);
  request.input_ids.emplace(begin, end);
  return request;
}

std::int64_t PreparedRecord::bytes() const {
  return requests_.bytes() + static_cast<std::int64_t>(ids_.capacity() * sizeof(ids_[0]) +
                                                       ends_.capacity() * sizeof(ends_[0]));
}

}  // namespace sglrun::run
