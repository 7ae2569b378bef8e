// SPDX-License-Identifier: Apache-2.0
#ifndef RILL_VERSION_H
#define RILL_VERSION_H
#define RILL_VERSION "0.1.0"
#endif
