# SPDX-License-Identifier: Apache-2.0
# The functions of verilated_funcs.h outside the header: declarations, or with -v bodies=1 what a file of its own defines (stages.sh).
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
