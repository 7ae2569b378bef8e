// SPDX-License-Identifier: Apache-2.0
// The version of Rill, which `rill --version`, the manual page and generated files show.
#ifndef RILL_VERSION_H
#define RILL_VERSION_H
#define RILL_VERSION "0.1.0"
#endif
