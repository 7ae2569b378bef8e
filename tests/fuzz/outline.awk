# SPDX-License-Identifier: Apache-2.0
# Prints Verilator's verilated_funcs.h, in which the inline functions are only declared. With -v bodies=1, the functions
# stay, but not as `static inline`, so that one separate file defines them (tests/quick_build.sh).
function put() {
    if (bodies)
        sub(/^static inline /, "", text)
    else {
        sub(/ *\{.*/, ";", text)
        sub(/^static inline/, "extern", text)
    }
    print text
    inside = 0
}
!inside && /^static inline .*(VL|_vl)_/ {
    inside = 1
    text = $0
    if (/\}$/)
        put()
    next
}
inside {
    text = text "\n" $0
    if (/^\}/)
        put()
    next
}
{ print }
