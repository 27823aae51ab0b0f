// The line editor. Only this file uses libedit, whose wide characters are Unicode code points.
#include <histedit.h>
#include <langinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/printable.h"
#include "base/utf8.h"
#include "chat/history_file.h"
#include "chat/line_reader.h"

namespace sglrun::chat {
namespace {

constexpr int kHistorySize = 1000;
constexpr char kControlD = 4;
constexpr char kControlR = 18;
// A search compares the line itself first, in time quadratic in its length.
constexpr std::ptrdiff_t kMostSearched = 2000;
// The marks that terminals send around pasted text when this is enabled (xterm's "bracketed
// paste").
constexpr const char* kMarkPastes = "\033[?2004h";
constexpr const char* kMarkNoPastes = "\033[?2004l";
constexpr std::wstring_view kPasteEnd = L"\033[201~";
constexpr std::size_t kMostPasted = std::size_t{4} << 20;  // characters

// The characters are UTF-8 whatever the locale: a model reads nothing else.
bool UseUtf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0) return true;
  return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
}

std::wstring ToWide(std::string_view text) {
  static_assert(sizeof(wchar_t) == sizeof(char32_t));
  std::wstring wide;
  for (std::size_t at = 0; at < text.size();) {
    wide.push_back(static_cast<wchar_t>(DecodeUtf8(text, at)));
  }
  return wide;
}

std::string FromWide(std::wstring_view wide) {
  std::string text;
  for (const wchar_t c : wide) AppendUtf8(text, static_cast<char32_t>(c));
  return ToValidUtf8(text);
}

std::string CommonBeginning(const std::vector<std::string>& words) {
  std::string common = words[0];
  for (const std::string& word : words) {
    const auto [end, other] = std::ranges::mismatch(common, word);
    common.erase(end, common.end());
  }
  common.resize(common.size() - IncompleteUtf8Suffix(common));
  return common;
}

// Key sequences of common terminals for keys that libedit takes from terminfo, which has only one
// sequence per key.
constexpr struct {
  const wchar_t* keys;
  const wchar_t* command;
} kKeys[] = {
    {L"\\e[1~", L"ed-move-to-beg"},        {L"\\e[7~", L"ed-move-to-beg"},
    {L"\\e[H", L"ed-move-to-beg"},         {L"\\eOH", L"ed-move-to-beg"},
    {L"\\e[4~", L"ed-move-to-end"},        {L"\\e[8~", L"ed-move-to-end"},
    {L"\\e[F", L"ed-move-to-end"},         {L"\\eOF", L"ed-move-to-end"},
    {L"\\e[3~", L"ed-delete-next-char"},   {L"\\e[2~", L"ed-redisplay"},
    {L"\\e[5~", L"ed-prev-history"},       {L"\\e[6~", L"ed-next-history"},
    {L"\\e[1;5D", L"ed-prev-word"},        {L"\\e[1;5C", L"em-next-word"},
    {L"\\e[1;3D", L"ed-prev-word"},        {L"\\e[1;3C", L"em-next-word"},
    {L"\\e[1;2D", L"ed-prev-char"},        {L"\\e[1;2C", L"ed-next-char"},
    {L"\\e[5D", L"ed-prev-word"},          {L"\\e[5C", L"em-next-word"},
    {L"\\eOd", L"ed-prev-word"},           {L"\\eOc", L"em-next-word"},
    {L"\\e[1;5A", L"ed-prev-history"},     {L"\\e[1;5B", L"ed-next-history"},
    {L"\\e[1;3A", L"ed-prev-history"},     {L"\\e[1;3B", L"ed-next-history"},
    {L"\\e[1;2A", L"ed-prev-history"},     {L"\\e[1;2B", L"ed-next-history"},
    {L"\\e[3;5~", L"em-delete-next-word"},
};

class EditingReader final : public LineReader {
 public:
  explicit EditingReader(Setup setup) : setup_(std::move(setup)) {}

  ~EditingReader() override {
    if (editor_ != nullptr) ::el_end(editor_);
    if (history_ != nullptr) ::history_wend(history_);
  }

  bool Start() {
    if (!UseUtf8()) return false;
    editor_ = ::el_init("sglrun", stdin, setup_.talk, stderr);
    history_ = ::history_winit();
    if (editor_ == nullptr || history_ == nullptr) return false;
    HistEventW event;
    ::history_w(history_, &event, H_SETSIZE, kHistorySize);
    ::history_w(history_, &event, H_SETUNIQUE, 1);
    for (const std::string& line : setup_.history) Remember(line);
    ::el_wset(editor_, EL_CLIENTDATA, this);
    ::el_wset(editor_, EL_PROMPT, &EditingReader::ShowPrompt);
    ::el_wset(editor_, EL_EDITOR, L"emacs");
    ::el_wset(editor_, EL_HIST, history_w, history_);
    // Signals are handled while waiting for a key: libedit's own handlers would send them on to the
    // whole process group.
    ::el_wset(editor_, EL_SIGNAL, 0);
    ::el_wset(editor_, EL_GETCFN, &EditingReader::GetKey);
    ::el_wset(editor_, EL_ADDFN, L"chat-complete", L"complete a command", &EditingReader::OnTab);
    ::el_wset(editor_, EL_BIND, L"^I", L"chat-complete", nullptr);
    ::el_wset(editor_, EL_BIND, L"^R", L"em-inc-search-prev", nullptr);
    for (const auto& [keys, command] : kKeys) {
      ::el_wset(editor_, EL_BIND, keys, command, nullptr);
    }
    ::el_source(editor_, nullptr);  // the person's own ~/.editrc
    BindPaste();
    return true;
  }

  TypedLine Read(std::string_view prompt) override {
    prompt_ = ToWide(prompt);
    ended_ = TypedLine::End::kEndOfInput;
    setup_.signals->HoldStops(true);
    // Before the prompt is shown, so that input typed at the prompt is echoed only once, by the
    // editor.
    PrepareTerminal(true);
    int count = 0;
    const wchar_t* line = ::el_wgets(editor_, &count);
    MarkPastes(false);
    setup_.signals->HoldStops(false);
    if (line == nullptr || count <= 0) {
      std::fputc('\n', setup_.talk);
      std::fflush(setup_.talk);
      return {ended_, ""};
    }
    std::wstring_view text(line, static_cast<std::size_t>(count));
    while (text.ends_with(L'\n') || text.ends_with(L'\r')) text.remove_suffix(1);
    return {TypedLine::End::kLine, FromWide(text)};
  }

  void Remember(const std::string& line) override {
    if (!FitsHistory(line)) return;
    HistEventW event;
    ::history_w(history_, &event, H_ENTER, ToWide(line).c_str());
  }

 private:
  static EditingReader& Self(EditLine* editor) {
    void* self = nullptr;
    ::el_wget(editor, EL_CLIENTDATA, &self);
    return *static_cast<EditingReader*>(self);
  }

  // vi keys cannot be combined with the marks, because Esc alone is a vi key.
  void BindPaste() {
    const wchar_t* keys = nullptr;
    if (::el_wget(editor_, EL_EDITOR, &keys) != 0 || std::wstring_view(keys) != L"emacs") return;
    ::el_wset(editor_, EL_ADDFN, L"chat-paste", L"take what is pasted", &EditingReader::OnPaste);
    ::el_wset(editor_, EL_BIND, L"\\e[200~", L"chat-paste", nullptr);
    takes_pastes_ = true;
  }

  void MarkPastes(bool mark) {
    if (!takes_pastes_) return;
    std::fputs(mark ? kMarkPastes : kMarkNoPastes, setup_.talk);
    std::fflush(setup_.talk);
  }

  void PrepareTerminal(bool edit) {
    if (!edit) MarkPastes(false);
    ::el_wset(editor_, EL_PREP_TERM, edit ? 1 : 0);
    if (edit) MarkPastes(true);
  }

  static wchar_t* ShowPrompt(EditLine* editor) { return Self(editor).prompt_.data(); }

  // One character: 1, or 0 at the end of the input, or -1 when the line is given up.
  static int GetKey(EditLine* editor, wchar_t* key) { return Self(editor).ReadKey(*key); }

  int ReadKey(wchar_t& key) {
    std::string bytes;
    while (true) {
      if (WaitForKey(*setup_.signals) == KeyWait::kSignal) {
        if (!HandleSignals()) return -1;
        continue;
      }
      char byte = 0;
      const auto count = ::read(STDIN_FILENO, &byte, 1);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return 0;
      // A Ctrl+D that was pressed while the terminal made lines itself (during an answer) is a NUL
      // in what it hands over.
      if (byte == '\0') byte = kControlD;
      if (byte == kControlR && LineIsLong()) continue;
      bytes += byte;
      if (IncompleteUtf8Suffix(bytes) == bytes.size()) continue;
      std::size_t at = 0;
      key = static_cast<wchar_t>(DecodeUtf8(bytes, at));
      return 1;
    }
  }

  bool LineIsLong() const {
    const LineInfoW* line = ::el_wline(editor_);
    return line->lastchar - line->buffer > kMostSearched;
  }

  // False when the line is given up.
  bool HandleSignals() {
    ChatSignals& signals = *setup_.signals;
    if (signals.stop_code() != 0) {
      ended_ = TypedLine::End::kLeave;
      return false;
    }
    if (signals.TakeInterrupt()) {
      ended_ = TypedLine::End::kInterrupt;
      return false;
    }
    if (signals.TakeResize()) ::el_resize(editor_);
    if (signals.TakeSuspend()) {
      PrepareTerminal(false);
      signals.Suspend();
      PrepareTerminal(true);
      ::el_wset(editor_, EL_REFRESH);
    }
    return true;
  }

  static unsigned char OnPaste(EditLine* editor, wint_t) { return Self(editor).InsertPaste(); }

  // Pasted lines become part of the edited line; the message ends when the user presses Enter.
  unsigned char InsertPaste() {
    std::wstring pasted;
    bool is_whole = true;
    while (!pasted.ends_with(kPasteEnd)) {
      wchar_t key = 0;
      if (ReadKey(key) != 1) return CC_EOF;
      pasted += key == L'\r' ? L'\n' : key;
      if (pasted.size() <= kMostPasted) continue;
      is_whole = false;
      pasted.erase(0, pasted.size() - kPasteEnd.size());
    }
    if (!is_whole) {
      std::fputs(
          "\n"
          "The paste is too long and is ignored: /quit, and give it with --file.\n",
          setup_.talk);
      return CC_REDISPLAY;
    }
    pasted.resize(pasted.size() - kPasteEnd.size());
    std::erase_if(pasted,
                  [](wchar_t c) { return (c < L' ' && c != L'\n' && c != L'\t') || c == 127; });
    if (pasted.empty()) return CC_NORM;
    return ::el_winsertstr(editor_, pasted.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }

  static unsigned char OnTab(EditLine* editor, wint_t) { return Self(editor).CompleteLine(); }

  unsigned char CompleteLine() {
    const LineInfoW* line = ::el_wline(editor_);
    const std::string before = FromWide({line->buffer, line->cursor});
    const Completions found = setup_.complete(before);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    std::string more = CommonBeginning(found.words).substr(before.size() - found.begin);
    const bool is_whole = found.words.size() == 1;
    if (is_whole && !found.words[0].ends_with('/')) more += ' ';
    if (!more.empty()) {
      return ::el_winsertstr(editor_, ToWide(more).c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    std::fputc('\n', setup_.talk);
    for (const std::string& word : found.words) {
      std::fprintf(setup_.talk, "%s\n", Printable(word).c_str());
    }
    return CC_REDISPLAY;
  }

  Setup setup_;
  EditLine* editor_ = nullptr;
  HistoryW* history_ = nullptr;
  bool takes_pastes_ = false;
  std::wstring prompt_;
  TypedLine::End ended_ = TypedLine::End::kEndOfInput;
};

}  // namespace

std::unique_ptr<LineReader> MakeEditingReader(LineReader::Setup setup) {
  auto reader = std::make_unique<EditingReader>(std::move(setup));
  if (!reader->Start()) return nullptr;
  return reader;
}

}  // namespace sglrun::chat
