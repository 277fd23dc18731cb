"""Store of judgments: a database that loses nothing and gives each document to no more assessors than requested.

Everything is a function of a `Database`; nothing here knows of HTTP. A screen needs these, in this order:

    database = Database("project.db", alone=True, snapshots=5)     or "postgresql://…"
    load_pool(database, pool); save_rubric(database, rubric); save_settings(database, Settings(…))
    catch_up_journal(database)

    organiser = add_person(database, "ann", "organiser")
    secret = make_link(database, organiser, "once")                for the fragment of the URL that is printed
    session, person = enter(database, secret)                      None: no such link; the session goes into the cookie
    person = person_of_session(database, session)                  None: not, or no longer, signed in
    person = person_of_token(database, token)                      for Bearer

    next_tasks(database, person.name, 4, holding=[…])              BlindTasks: all that a browser may know
    document_of(database, person.name, task)                       (topic, document id), to fetch the text on the server
    renew(database, person.name, seen=[…], holding=[…])            on showing one, and every 20 s; gives what is lost
    record(database, person.name, [Answer(…)])                     Receipts, after commit and journal
    history(database, person.name)                                 to go back: their own last answers, newest first
    give_back(database, person.name)                               on leaving
    assessor_progress(database, person.name)                       done and left, their own

    topic_progress(database), everybodys_progress(database)        for organisers and viewers
    next_case(database, organiser.name), cases(database)           adjudication: organisers only, never who judged it
    all_events(database), record_of(database), pools_of(database)  what a release is made of

Functions that take `assessor` or `adjudicator` trust the name: find the person first, and check `may_judge` or
`may_organise`. All of them block (a commit waits for the disk): call them from a thread of a pool. They may be called
from many threads.
"""

from germane.errors import MissingExtraError

try:
    import sqlalchemy  # noqa: F401 - so that its absence is said once, and plainly
except ImportError:
    raise MissingExtraError("the store of judgments", "judge") from None
