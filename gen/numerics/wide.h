// SPDX-License-Identifier: Apache-2.0
// On x86-64 Linux, WIDE before a function makes the compiler compile the function twice, the second time for processors
// with AVX2. The loader chooses one of the two versions when the program starts. Use WIDE only for functions on
// integers, or on floats that are summed in a fixed order, so that both versions give the same bits.
#ifndef RILL_WIDE_H
#define RILL_WIDE_H

#if defined(__has_feature)
#define WIDE_SANITIZED (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__)
#define WIDE_SANITIZED 1
#else
#define WIDE_SANITIZED 0
#endif

// clang before 18 gives the chosen function another name than gcc does, so other files would not find it.
#if defined(__clang__) && __clang_major__ < 18
#define WIDE_LINKS 0
#else
#define WIDE_LINKS 1
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && !WIDE_SANITIZED && WIDE_LINKS
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE // empty also for sanitizers, which are not initialized yet when the loader chooses
#endif

#endif
