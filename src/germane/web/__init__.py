"""The judging app: each request calls a function of `germane.judging` and returns JSON or a page.

    opened = serving.open_site("pool.jsonl", "docs.jsonl", "topics.tsv", addresses=local_addresses(8642))
    app.build_app(opened.site)                        an ASGI application
    serving.serve(opened.site, serving.listen("127.0.0.1", 8642))

`site` holds what every request needs; `security` decides what may come in at all; `endpoints` ties a method and a path
to a function, a role and a schema, and `app` prints the description from the same. `sessions_api`,
`judging_api` and `organiser_api` are the functions; `pages` are the few HTML pages around them, in `templates/` and
`static/`. `document_view` makes hostile documents fit to be shown; `offline` writes screen and documents into one file.
"""
