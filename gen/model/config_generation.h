// SPDX-License-Identifier: Apache-2.0
// Reads the settings that the publisher of a checkpoint recommends for generated text.
#ifndef RILL_CONFIG_GENERATION_H
#define RILL_CONFIG_GENERATION_H

#include "gen/base/diag.h"

// Warns about each setting in the folder's generation_config.json that no design can apply, such as `top_p`. Reports
// nothing if there is no such file.
void config_warn_generation(struct arena *, const char *source, struct diag *);

#endif
