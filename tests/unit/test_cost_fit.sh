#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares include/costs.def with what verif/cost/fit.sh makes of the measured syntheses.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" # the runner starts it by sh
exec "$(dirname "$0")/../../verif/cost/fit.sh" --check
