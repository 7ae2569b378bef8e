// SPDX-License-Identifier: Apache-2.0
// Writes the result of a search as one page of plain HTML and JavaScript: a chart of all estimated and evaluated points
// with axes that the reader chooses, a filter, and the front with its specs.
#include <string.h>

#include "gen/explore/explore.h"

static const char style[] =
    "body{font:14px/1.45 sans-serif;margin:24px;max-width:1100px;color:#222}h1{font-size:20px}svg{border:1px solid "
    "#bbb;background:#fff}table{border-collapse:collapse;margin-top:16px}td,th{padding:2px 8px;text-align:right;"
    "border-bottom:1px solid #ddd}td.l,th.l{text-align:left}tr.on{background:#fff3c4}label{margin-right:14px}"
    "#said{min-height:3em;margin:8px 0}code{background:#f3f3f3;padding:1px 4px}";

// The script of the page. It uses the constants `metrics`, `goals` and `points`, which add_data writes before it. Level
// 3 in the script is EXPLORE_WHOLE: the point was evaluated with all passes. Level 2 means that it was only estimated.
static const char script[] =
    "const W=1000,H=460,L=80,B=46,svg=document.getElementById('chart'),$=id=>document.getElementById(id);\n"
    "let chosen=-1;\n"
    "for(const id of['x','y'])for(const m of metrics){const o=document.createElement('option');o.value=m.key;\n"
    "  o.textContent=m.title;$(id).append(o)}\n"
    "$('x').value=goals[0];$('y').value=goals[1]||'lut';\n"
    "const text=(x,y,s,a)=>`<text x=\"${x}\" y=\"${y}\" text-anchor=\"${a}\" font-size=\"12\">${s}</text>`;\n"
    "const short=v=>Math.abs(v)>=1000?Math.round(v).toLocaleString('en'):+v.toPrecision(4);\n"
    "function passes(p){const f=$('filter').value.trim();if($('whole').checked&&p.level<3)return false;\n"
    "  if($('fits').checked&&!p.fits)return false;\n"
    "  return f.split(/\\s+/).every(w=>{if(!w)return true;const m=w.match(/^(\\w+)(<=|>=|<|>)([-\\d.]+)$/);\n"
    "    if(m&&m[1] in p.value){const a=p.value[m[1]],b=+m[3];\n"
    "      return m[2]==='<'?a<b:m[2]==='>'?a>b:m[2]==='<='?a<=b:a>=b}\n"
    "    return(p.changes+' '+p.words).includes(w)})}\n"
    "function draw(){const kx=$('x').value,ky=$('y').value,shown=points.filter(passes);\n"
    "  const xs=shown.map(p=>p.value[kx]),ys=shown.map(p=>p.value[ky]);\n"
    "  const lo=a=>Math.min(...a),hi=a=>Math.max(...a);let out='';\n"
    "  if(!shown.length){svg.innerHTML=text(W/2,H/2,'no point passes the "
    "filter','middle');$('count').textContent='0';return}\n"
    "  const pad=(a,b)=>a===b?[a-1,b+1]:[a-(b-a)*.04,b+(b-a)*.04];\n"
    "  const[x0,x1]=pad(lo(xs),hi(xs)),[y0,y1]=pad(lo(ys),hi(ys));\n"
    "  const X=v=>L+(v-x0)/(x1-x0)*(W-L-20),Y=v=>H-B-(v-y0)/(y1-y0)*(H-B-20);\n"
    "  for(let i=0;i<=5;i++){const vx=x0+(x1-x0)*i/5,vy=y0+(y1-y0)*i/5;\n"
    "    out+=`<line x1=\"${X(vx)}\" x2=\"${X(vx)}\" y1=\"20\" y2=\"${H-B}\" stroke=\"#eee\"/>`+\n"
    "      `<line x1=\"${L}\" x2=\"${W-20}\" y1=\"${Y(vy)}\" y2=\"${Y(vy)}\" stroke=\"#eee\"/>`+\n"
    "      text(X(vx),H-B+18,short(vx),'middle')+text(L-8,Y(vy)+4,short(vy),'end')}\n"
    "  "
    "out+=text(W/"
    "2,H-8,metrics.find(m=>m.key===kx).title,'middle')+text(8,14,metrics.find(m=>m.key===ky).title,'start');\n"
    "  for(const p of shown)out+=`<circle data-i=\"${p.i}\" cx=\"${X(p.value[kx])}\" cy=\"${Y(p.value[ky])}\" "
    "r=\"${p.front?6:p.level===3?4:2.5}\" fill=\"${p.front?'#c2410c':p.level===3?'#2563eb':'#9ca3af'}\" "
    "fill-opacity=\"${p.level===3?.9:.5}\" stroke=\"${p.i===chosen?'#000':'none'}\" stroke-width=\"2\">"
    "<title>${escape_(p.changes)}</title></circle>`;\n"
    "  svg.innerHTML=out;$('count').textContent=shown.length}\n"
    "function escape_(s){return s.replace(/&/g,'&amp;').replace(/</g,'&lt;').replace(/\"/g,'&quot;')}\n"
    "function choose(i){chosen=i;const p=points[i],v=metrics.map(m=>m.title+' '+p.value[m.key].toFixed(m.decimals));\n"
    "  $('said').innerHTML='<b>'+escape_(p.changes)+'</b> ('+(p.level===3?'evaluated':'estimated')+')<br>'+"
    "escape_(v.join(', '))+'<br>'+escape_(p.words)+(p.spec?`<br><a "
    "href=\"${escape_(p.spec)}\">${escape_(p.spec)}</a>`:'');\n"
    "  for(const r of document.querySelectorAll('tr[data-i]'))r.className=+r.dataset.i===i?'on':'';draw()}\n"
    "svg.addEventListener('click',e=>{if(e.target.dataset.i)choose(+e.target.dataset.i)});\n"
    "$('table').innerHTML='<tr><th>#</th>'+metrics.map(m=>`<th>${m.title}</th>`).join('')+'<th class=\"l\">changes</th>"
    "<th class=\"l\">bound by</th></tr>'+points.filter(p=>p.front).sort((a,b)=>a.front-b.front).map(p=>`<tr "
    "data-i=\"${p.i}\"><td>${p.front}</td>`+metrics.map(m=>`<td>${p.value[m.key].toFixed(m.decimals)}</td>`).join('')+"
    "`<td class=\"l\">${p.spec?`<a href=\"${escape_(p.spec)}\">${escape_(p.changes)}</a>`:escape_(p.changes)}</td><td "
    "class=\"l\">${escape_(p.words)}</td></tr>`).join('');\n"
    "$('table').addEventListener('click',e=>{const r=e.target.closest('tr[data-i]');if(r)choose(+r.dataset.i)});\n"
    "for(const id of['x','y','whole','fits','filter'])$(id).addEventListener('input',draw);draw();\n";

static void add_escaped(struct text *out, const char *s) {
    for (; *s; s++)
        if (*s == '<') text_add(out, "&lt;");
        else if (*s == '&') text_add(out, "&amp;");
        else text_addf(out, "%c", *s);
}

// Adds a JavaScript string. Writes `<` as \u003c, because `</script>` in a string would end the page's <script>
// element.
static void add_string(struct text *out, const char *s) {
    struct text quoted = {0};
    text_add_json_string(&quoted, s, strlen(s));
    for (const char *c = text_cstr(&quoted); *c; c++) text_addf(out, *c == '<' ? "\\u003c" : "%c", *c);
    text_free(&quoted);
}

// Returns the point's rank on the front, from 1, or 0 if it is not on the front.
static int place_on_front(const struct explore_outcome *o, int index) {
    for (int i = 0; i < o->fronts; i++)
        if (o->front[i] == index) return i + 1;
    return 0;
}

// Adds a point as a JavaScript object. number: its index in `points`.
static void add_point(const struct explore *x, const struct explore_outcome *o, int index, int number,
                      const char *specs, struct text *out) {
    const struct explore_seen *s = &o->seen[index];
    int front = place_on_front(o, index);
    text_addf(out, "%s{i:%d,level:%d,fits:%s,front:%d,changes:", number ? ",\n" : "", number, s->result.level,
              explore_meets(x, &s->result) ? "true" : "false", front);
    add_string(out, explore_changes(x, &s->point, x->arena));
    text_add(out, ",words:");
    add_string(out, s->result.words);
    text_add(out, ",spec:");
    add_string(out, front && specs ? arena_printf(x->arena, "%s/%s-%02d.yaml", specs, x->spec->name, front) : "");
    text_add(out, ",value:{");
    for (int m = 0; m < EXPLORE_METRICS; m++)
        text_addf(out, "%s%s:%.6g", m ? "," : "", explore_metric[m].key, s->result.value[m]);
    text_add(out, "}}");
}

// Adds the data of the script, which are all points with an estimate, and the script itself.
static void add_data(const struct explore *x, const struct explore_outcome *o, const char *specs, struct text *out) {
    int number = 0;
    text_add(out, "<script>\nconst metrics=[");
    for (int m = 0; m < EXPLORE_METRICS; m++)
        text_addf(out, "%s{key:'%s',title:'%s',decimals:%d}", m ? "," : "", explore_metric[m].key,
                  explore_metric[m].title, explore_metric[m].decimals);
    text_add(out, "];\nconst goals=[");
    for (int g = 0; g < x->goals; g++) text_addf(out, "%s'%s'", g ? "," : "", explore_metric[x->goal[g]].key);
    text_add(out, "];\nconst points=[");
    for (int i = 0; i < o->count; i++)
        if (o->seen[i].result.legal && o->seen[i].result.level >= EXPLORE_ESTIMATE)
            add_point(x, o, i, number++, specs, out);
    text_addf(out, "];\n%s</script>\n", script);
}

void explore_html(const struct explore *x, const struct explore_outcome *o, const char *command, const char *specs,
                  struct text *out) {
    text_addf(out,
              "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>%s: designs</title>\n"
              "<style>%s</style>\n<h1>Designs of %s</h1>\n<p><code>",
              x->spec->name, style, x->spec->name);
    add_escaped(out, command);
    text_add(out, "</code></p>\n<p>");
    add_escaped(out, explore_method(x, o, x->arena));
    text_addf(out,
              ". Request %lld:%lld. Speed is forecast, resources and power are estimated. Orange: the front; blue: "
              "evaluated with all passes; grey: estimated only.</p>\n",
              (long long)x->prompt, (long long)x->tokens);
    text_add(out, "<p><label>across <select id=\"x\"></select></label><label>up <select id=\"y\"></select></label>"
                  "<label><input type=\"checkbox\" id=\"whole\" checked> evaluated only</label>"
                  "<label><input type=\"checkbox\" id=\"fits\"> within the limits</label>"
                  "<label>filter <input id=\"filter\" size=\"30\" placeholder=\"channels=24 dsp&lt;3000\"></label>"
                  "<span id=\"count\"></span> points</p>\n<svg id=\"chart\" width=\"1000\" height=\"460\"></svg>\n"
                  "<div id=\"said\">Click on a point.</div>\n<table id=\"table\"></table>\n");
    add_data(x, o, specs, out);
    text_add(out, "</html>\n");
}
