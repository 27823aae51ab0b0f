// What the stop signals do before and while a command works.
#pragma once

namespace sglrun::cli {

// For a run that can be continued: before the run watches the StopFlag, SIGINT or SIGTERM ends the
// program at once with the exit code of a stopped run (130, 143). Afterwards either asks the run to
// stop, and a second SIGINT ends the program at once.
void HandleStopSignals();

// For a chat, until it handles Ctrl+C itself: Ctrl+C ends the program with a message, because while
// the model is loading there is no answer to stop.
void LeaveOnInterrupt();

}  // namespace sglrun::cli
