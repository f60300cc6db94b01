/** Style and script of the status page: constants, nothing of a snapshot is in them. */

import { markup, type Html } from './markup.ts'

export const statusStyle: Html = markup`
:root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--page:#fff;--ok:#116329;--warn:#7d4e00;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9da7b3;--line:#3d444d;--page:#0d1117;--ok:#56d364;--warn:#e3b341;--bad:#ff7b72}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:72rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.75rem;margin:0}
dt{color:var(--soft);font-size:.85rem}dd{margin:0;overflow-wrap:anywhere}
[lang=en]{color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);font-weight:400;vertical-align:top}
thead th{color:var(--soft)}
td{white-space:nowrap}th{min-width:6rem}
.mark{font-weight:600;color:var(--soft)}
.mark [lang=en]{color:inherit}
.fresh{color:var(--ok)}.late{color:var(--warn)}.stale{color:var(--bad)}
a{color:inherit}
`

/** When it went live is in no file, since files have no clock: the answer says it as Last-Modified. */
export const statusScript: Html = markup`
(function(){
var live=new Date(document.lastModified),hours=Math.floor((Date.now()-live)/36e5)
if(isFinite(hours))document.getElementById("age").textContent=live.toLocaleString()+" ("+hours+" h)"
})()
`
