// SPDX-License-Identifier: Apache-2.0
// WIDE before a function: compiled twice, the second time for processors with wider vectors, chosen when the program
// starts. Only for integers and for floats whose order of sums is written down: the bits are the same.
#ifndef RILL_WIDE_H
#define RILL_WIDE_H

#if defined(__has_feature)
#define WIDE_SANITIZED (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__)
#define WIDE_SANITIZED 1
#else
#define WIDE_SANITIZED 0
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && !WIDE_SANITIZED
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE // a sanitizer is not ready when the loader chooses
#endif

#endif
