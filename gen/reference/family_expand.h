// SPDX-License-Identifier: Apache-2.0
// Expands a model family, using only libyaml: makes its graph as a document that reads like the `graph` of a spec.
#ifndef RILL_FAMILY_EXPAND_H
#define RILL_FAMILY_EXPAND_H

#define RILL_YAML_LIBRARY_ALONE
#include "gen/base/base.h"
#include "gen/base/yaml.h"

// family and spec are loaded documents. *made, which must be initialized and empty, receives the graph alone, with line
// numbers of the family. Returns NULL, or the error.
const char *oracle_family(struct arena *, yaml_document_t *family, yaml_document_t *spec, yaml_document_t *made);

#endif
