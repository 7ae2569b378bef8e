#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the constants in include/costs.def are those that verif/cost/fit.sh fits to the measured syntheses.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" # tests/unit/run.sh starts all shell tests with sh
exec "$(dirname "$0")/../../verif/cost/fit.sh" --check
