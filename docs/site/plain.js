// SPDX-License-Identifier: Apache-2.0
// Replaces the search worker of MkDocs in the plain theme, for three reasons. The search must work in pages that are
// opened as files, where a browser lets no script read another file; so docs/site.sh writes the index as a script.
// Words of one letter must be found, because `T` and `A` are keys. And a result must name its page.
"use strict";
(function () {
    let index = null;
    const documents = new Map();

    function load(name, done) {
        const script = document.createElement("script");
        script.src = joinUrl(base_url, "search/" + name);
        script.onload = done;
        document.head.appendChild(script);
    }

    function build() {
        for (const item of __index.docs) documents.set(item.location, item);
        index = lunr(function () {
            this.pipeline.remove(lunr.stopWordFilter);
            this.ref("location");
            this.field("title", { boost: 10 });
            this.field("text");
            for (const item of __index.docs) this.add(item);
        });
    }

    // Returns the title of a section, after the title of its page.
    function titleOf(item) {
        const page = documents.get(item.location.split("#")[0]);
        return page && page.title !== item.title ? page.title + " \u203a " + item.title : item.title;
    }

    // Returns at most 50 results for a query of plain words. Characters that lunr would take for its own syntax become
    // spaces.
    function find(query) {
        if (index === null) build();
        const words = query.replace(/[^\p{L}\p{N}_.-]+/gu, " ").replace(/(^|\s)-+/g, " ").trim();
        const results = words === "" ? [] : index.search(words);
        return results.slice(0, 50).map(function (result) {
            const item = documents.get(result.ref);
            return { location: item.location, title: titleOf(item), summary: item.text.substring(0, 200) };
        });
    }

    window.Worker = function () {
        const self = this;
        this.postMessage = function (message) {
            if (!message.init) return self.onmessage({ data: { results: find(message.query) } });
            load("lunr.js", function () {
                load("search_index.js", function () {
                    self.onmessage({ data: { config: { min_search_length: 1 } } });
                    self.onmessage({ data: { allowSearch: true } });
                });
            });
        };
    };
})();
