// SPDX-License-Identifier: Apache-2.0
// A GGUF file as a checkpoint: its tensors under the names, in the order of rows and with the config.json of the
// Hugging Face checkpoint that it was made from. Of the architectures llama, qwen2 and qwen3.
#ifndef RILL_GGUF_MODEL_H
#define RILL_GGUF_MODEL_H

#include "include/gguf.h"
#include "include/safetensors.h"

// What tells a GGUF file from a checkpoint's folder: a plain file, or the ending `.gguf`.
bool gguf_is_path(const char *path);

struct gguf_model;

// NULL after reporting: a broken file, an architecture that is not known here, heads that do not divide a tensor.
struct gguf_model *gguf_model_open(struct arena *arena, const char *path, struct diag *diag);
void gguf_model_close(struct gguf_model *); // NULL is fine
int gguf_model_count(const struct gguf_model *);
// begin and end are 0; dtype_name is ggml's.
const struct safetensors_tensor *gguf_model_at(const struct gguf_model *, int index);
// All elements as fp32, in arena memory. Where the converter of architecture llama has put the pairs that turn beside
// one another, the rows of queries and keys go back to half a head apart.
float *gguf_model_read(const struct gguf_model *, int index, struct arena *arena);

// The keys of config.json that the metadata tell, as JSON. NULL after reporting.
const char *gguf_model_config(struct arena *arena, const char *path, struct diag *diag);

#endif
