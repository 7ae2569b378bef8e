// SPDX-License-Identifier: Apache-2.0
// Defines the messages of include/messages.def as formats: MSG_FOO is the format of row FOO with its id at the end,
// such as "unknown key `%s` in %s [unknown-key]". MESSAGE and ALSO rows define formats, SUBJECT rows do not. The
// formats are constant arrays, so that compilers check the arguments of `diag_error(diag, place, MSG_FOO, ...)` and of
// `arena_printf(arena, MSG_FOO, ...)`.
#ifndef RILL_MESSAGES_H
#define RILL_MESSAGES_H

#include <inttypes.h>

#define MESSAGE(name, id, format, meaning, remedy, page)                                                               \
    __attribute__((unused)) static const char MSG_##name[] = format " [" id "]";
#define ALSO(name, id, format) __attribute__((unused)) static const char MSG_##name[] = format " [" id "]";
#include "include/messages.def"
#undef MESSAGE
#undef ALSO
#undef SUBJECT

#endif
