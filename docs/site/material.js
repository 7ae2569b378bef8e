// SPDX-License-Identifier: Apache-2.0
// Makes the search of the theme Material work in pages that are opened as files. A browser starts no worker from a
// file, so this replacement of Worker runs the worker's script in a hidden frame. docs/site.sh writes the index as a
// script, which the theme then loads.
"use strict";
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.appendChild(frame);
            this.inner = frame.contentWindow;
            this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
            const script = this.inner.document.createElement("script");
            script.src = url;
            this.ready = new Promise((done) => (script.onload = done));
            this.inner.document.body.appendChild(script);
        }
        postMessage(data) {
            this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
        }
    };
}
