// XXH3, in the widest instructions that the machine has where the library was built to choose them:
// its header is installed then. The hashes are the same.
#pragma once

#include <xxhash.h>
#if __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif
