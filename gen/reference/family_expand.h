// SPDX-License-Identifier: Apache-2.0
// A family of models, by libyaml alone: its graph as a document that reads like the `graph` of a spec.
#ifndef RILL_FAMILY_EXPAND_H
#define RILL_FAMILY_EXPAND_H

#define RILL_YAML_LIBRARY_ALONE
#include "gen/base/base.h"
#include "gen/base/yaml.h"

// family, spec: documents that are loaded. *made: a document of the graph alone, with the family's lines. NULL, or what
// is wrong.
const char *oracle_family(struct arena *, yaml_document_t *family, yaml_document_t *spec, yaml_document_t *made);

#endif
