// SPDX-License-Identifier: Apache-2.0
// rill_kv_scale: body follows.
