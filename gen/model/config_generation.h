// SPDX-License-Identifier: Apache-2.0
// Reads the settings that the publisher of a checkpoint recommends for generated text.
#ifndef RILL_CONFIG_GENERATION_H
#define RILL_CONFIG_GENERATION_H

#include "gen/base/diag.h"

// Warns about each setting in generation_config.json of the checkpoint's folder `source` that no design can apply, such
// as `top_p`. A setting that is off in the file gets no warning. Warns about nothing if there is no such file.
void config_warn_generation(struct arena *, const char *source, struct diag *);

#endif
