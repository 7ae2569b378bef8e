// SPDX-License-Identifier: Apache-2.0
#include "boards/serve/serve_page.h"

// Includes the page in the program. RILL_ROOT, a macro of the Makefile, is the root of the source tree.
__asm__(".section .rodata\n"
        ".global serve_page, serve_page_end\n"
        "serve_page: .incbin \"" RILL_ROOT "/boards/serve/page.html\"\n"
        "serve_page_end: .byte 0\n"
        ".previous\n");
