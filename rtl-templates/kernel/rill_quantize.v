// SPDX-License-Identifier: Apache-2.0
// rill_quantize: body follows.
