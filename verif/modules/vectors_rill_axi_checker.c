// SPDX-License-Identifier: Apache-2.0
// Runs the bench rill_axi_checker_tb once for each breach of an AXI rule, because the checker ends a run at the first
// violation. Prints a line "breach should said" for each: the number of the breach, the number of the rule that it
// breaks, and the number of the rule that the checker names first after the breach. 0: it names none. -1: it names one
// before the breach.
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BREACHES = 85, TEXT = 4096 }; // BREACHES as in the bench; TEXT: bytes of a line or command

// The checker's message for each rule, rule 1 first.
static const char *const rule_text[] = {
    "AR changed",
    "AW changed",
    "W changed",
    "R changed",
    "B changed",
    "burst type",
    "size is not",
    "is not aligned",
    "crosses a 4 KiB",
    "is longer than",
    "bursts outstanding on one id",
    "R beat with id",
    "RLAST on the wrong",
    "WLAST on the wrong",
    "W beats without an AW",
    "B with id",
    "strobe not set",
    "a valid is unknown",
    "too many W bursts ahead",
    "exclusive access",
    "AxCACHE is reserved",
    "AR has an unknown",
    "AW has an unknown",
    "offered before its address",
};

// Appends `word` and `more` to the text. Ends the program if they do not fit.
static void append(char text[TEXT], const char *word, const char *more) {
    size_t used = strlen(text);
    int n = snprintf(text + used, TEXT - used, "%s%s", word, more);
    if (n < 0 || (size_t)n >= TEXT - used) {
        fprintf(stderr, "the command is too long\n");
        exit(1);
    }
}

// Compiles the bench to the file `simulator`, with the parameters NAME=VALUE that this program got. The seed is an
// argument of each run instead.
static void compile(const char *simulator, int argc, char **argv) {
    char here[TEXT] = __FILE__, command[TEXT] = "";
    char *slash = strrchr(here, '/');
    if (slash) *slash = 0;
    append(command, "cd '", slash ? here : ".");
    append(command, "' && iverilog -g2012 -y . -y ../model -Y .sv -s rill_axi_checker_tb -o '", simulator);
    append(command, "'", "");
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "seed=", 5) != 0) append(command, " -Prill_axi_checker_tb.", argv[i]);
    }
    append(command, " rill_axi_checker_tb.v >&2", "");
    if (system(command) != 0) exit(1);
}

// Returns the number of the rule whose message the line has, or 0.
static int rule_of(const char *line) {
    const char *said = strstr(line, "AXI violation at cycle ");
    for (int rule = 1; said && rule <= (int)(sizeof rule_text / sizeof rule_text[0]); rule++) {
        if (strstr(said, rule_text[rule - 1])) return rule;
    }
    return 0;
}

// Runs one breach and prints its line.
static void run(const char *simulator, int breach, const char *seed) {
    char command[TEXT] = "", line[TEXT], number[16];
    int which = 0, should = 0, said = 0;
    bool broken = false;
    snprintf(number, sizeof number, "%d", breach);
    append(command, "vvp -n '", simulator);
    append(command, "' +idle=30 +stall=30 +break=", number);
    append(command, " +", seed);
    FILE *output = popen(command, "r");
    while (output && fgets(line, sizeof line, output)) {
        if (sscanf(line, "breach %d rule %d", &which, &should) == 2) broken = which == breach;
        if (said == 0) said = broken ? rule_of(line) : rule_of(line) ? -1 : 0;
    }
    if (!output || (pclose(output) == -1) || !broken) {
        fprintf(stderr, "breach %d did not run\n", breach);
        exit(1);
    }
    printf("%d %d %d\n", breach, should, said);
}

int main(int argc, char **argv) {
    char simulator[TEXT] = "";
    const char *seed = "seed=0";
    append(simulator, argv[0], ".");
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "seed=", 5) == 0) seed = argv[i];
        append(simulator, argv[i], ".");
    }
    append(simulator, "sim", "");
    compile(simulator, argc, argv);
    for (int breach = 1; breach <= BREACHES; breach++) run(simulator, breach, seed);
    remove(simulator);
    return 0;
}
