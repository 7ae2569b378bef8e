// SPDX-License-Identifier: Apache-2.0
// Expands a model family for the oracle: makes the family's graph with the parameters of a spec, as a document in the
// form of the section `graph` of a spec. Uses only libyaml, not the compiler's readers.
#ifndef RILL_FAMILY_EXPAND_H
#define RILL_FAMILY_EXPAND_H

#define RILL_YAML_LIBRARY_ALONE
#include "gen/base/base.h"
#include "gen/base/yaml.h"

// family and spec are loaded documents. *made, which must be initialized and empty, receives the contents of `graph`
// with the line numbers of the family's file. Returns NULL, or an error without its place.
const char *oracle_family(struct arena *, yaml_document_t *family, yaml_document_t *spec, yaml_document_t *made);

#endif
