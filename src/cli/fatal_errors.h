// The end of the program after a fatal error at any place: one message and exit code 2 instead of a
// signal. Written files remain as after a kill, so the same command can continue.
#pragma once

namespace sglrun::cli {

// Call once, before threads are started. Failures to allocate memory or threads, and mapped files
// that became shorter, end the program with a message. A file that reaches its size limit (ulimit
// -f) gives a write error.
void ReportFatalErrors();

}  // namespace sglrun::cli
