// SPDX-License-Identifier: Apache-2.0
// The chat page, boards/serve/page.html, which is linked into the program. serve_page_end is the first byte after it.
#ifndef RILL_SERVE_PAGE_H
#define RILL_SERVE_PAGE_H

extern const char serve_page[], serve_page_end[];

#endif
