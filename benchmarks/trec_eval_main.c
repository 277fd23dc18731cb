/* trec_eval as a function: the steps of its program, over the C code that pytrec_eval compiles of it (all but its main).
 *
 * benchmarks/trec_eval_c.py compiles this and runs it in a process that has loaded pytrec_eval's extension. So trec_eval
 * can be measured wherever pytrec_eval is installed: it reads, matches, evaluates and prints with its own functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *measure, *text; } Argument;
typedef struct {
    long each_query, summary, debug;
    char *debug_query;
    long relational, complete, judged_only, collection_size, level, depth;
    char *qrels_format, *run_format;
    long z_scores;
    Argument *arguments;
} Options;
typedef struct { char *name; double value; } Value;
typedef struct { char *query; long num_queries; Value *values; long num_values, room; } Values;
typedef struct { char *query, *tag, *format; void *rows; } Ranking;
typedef struct { long num, room; Ranking *rankings; } Run;
typedef struct { char *query, *format; void *rows; } Judged;
typedef struct { long num, room; Judged *queries; } Qrels;
typedef struct Measure {
    char *name, *help;
    int (*init)(Options *, struct Measure *, Values *);
    int (*compute)(const Options *, const Judged *, const Ranking *, const struct Measure *, Values *);
    int (*add)(const Options *, const struct Measure *, const Values *, Values *);
    int (*average)(const Options *, const struct Measure *, const Qrels *, Values *);
    int (*print_query)(const Options *, const struct Measure *, const Values *);
    int (*print_all)(const Options *, struct Measure *, Values *);
    void *parameters;
    long index;
} Measure;
typedef struct { char *name, **members; } Nickname;

extern Measure *te_trec_measures[];
extern int te_num_trec_measures;
extern Nickname te_trec_measure_nicknames[];
extern int te_num_trec_measure_nicknames;
extern int te_get_qrels(Options *, char *, Qrels *);
extern int te_get_trec_results(Options *, char *, Run *);

enum { ASKED = -2, MAX_MEASURES = 64 };

static void ask(const char *name) {
    for (int i = 0; i < te_num_trec_measure_nicknames; i++)
        if (strcmp(te_trec_measure_nicknames[i].name, name) == 0) {
            for (char **member = te_trec_measure_nicknames[i].members; *member; member++) ask(*member);
            return;
        }
    for (int i = 0; i < te_num_trec_measures; i++)
        if (strcmp(te_trec_measures[i]->name, name) == 0) te_trec_measures[i]->index = ASKED;
}

static int find(const Qrels *qrels, const char *query) {
    for (long i = 0; i < qrels->num; i++)
        if (strcmp(qrels->queries[i].query, query) == 0) return (int)i;
    return -1;
}

/* Evaluate a run and print it; `measures` are as after -m, with parameters behind a dot. Return 0 if all went well. */
int trec_eval_main(int each_query, int num_measures, char **measures, char *qrels_path, char *run_path) {
    Argument arguments[MAX_MEASURES + 1] = {{0}};
    Options options = {each_query, 1, 0, NULL, 1, 0, 0, 0, 1, 2147483647L, "qrels", "trec_results", 0, NULL};
    Values all = {"all", 0, NULL, 0, 0};
    Qrels qrels = {0};
    Run run = {0};
    for (int i = 0, with_text = 0; i < num_measures && i < MAX_MEASURES; i++) {
        char *dot = strchr(measures[i], '.');
        if (dot) {
            *dot = 0;
            arguments[with_text++] = (Argument){measures[i], dot + 1};
            options.arguments = arguments;
        }
        ask(measures[i]);
    }
    if (te_get_qrels(&options, qrels_path, &qrels) < 0 || te_get_trec_results(&options, run_path, &run) < 0) return 1;
    for (int i = 0; i < te_num_trec_measures; i++)
        if (te_trec_measures[i]->index == ASKED) te_trec_measures[i]->init(&options, te_trec_measures[i], &all);
    Values one = all;
    one.values = malloc(sizeof(Value) * (size_t)all.room);
    for (long q = 0; q < run.num; q++) {
        int judged = find(&qrels, run.rankings[q].query);
        if (judged < 0) continue;
        memcpy(one.values, all.values, sizeof(Value) * (size_t)all.num_values);
        for (long i = 0; i < all.num_values; i++) one.values[i].value = 0;
        one.query = run.rankings[q].query;
        for (int i = 0; i < te_num_trec_measures; i++) {
            Measure *measure = te_trec_measures[i];
            if (measure->index < 0) continue;
            if (measure->compute(&options, &qrels.queries[judged], &run.rankings[q], measure, &one) < 0) return 2;
        }
        for (int i = 0; i < te_num_trec_measures; i++)
            if (each_query && te_trec_measures[i]->index >= 0)
                te_trec_measures[i]->print_query(&options, te_trec_measures[i], &one);
        for (int i = 0; i < te_num_trec_measures; i++)
            if (te_trec_measures[i]->index >= 0) te_trec_measures[i]->add(&options, te_trec_measures[i], &one, &all);
        all.num_queries++;
    }
    for (int i = 0; i < te_num_trec_measures; i++)
        if (te_trec_measures[i]->index >= 0) te_trec_measures[i]->average(&options, te_trec_measures[i], &qrels, &all);
    for (int i = 0; i < te_num_trec_measures; i++)
        if (te_trec_measures[i]->index >= 0) te_trec_measures[i]->print_all(&options, te_trec_measures[i], &all);
    return fflush(stdout);
}
