// SPDX-License-Identifier: Apache-2.0
// rill_softmax: body follows.
