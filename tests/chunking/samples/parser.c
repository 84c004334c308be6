/* Parser of key=value files. */
#ifndef PARSER_H
#define PARSER_H

#include <stdio.h>
#include "util/buffer.h"

#define MAX_KEYS 32
#define SQUARE(x) ((x) * (x))

typedef unsigned int uint;
typedef int (*visit_fn)(const char *key, void *data);

struct entry {
    char *key;
    char *value;
};

typedef struct {
    struct entry items[MAX_KEYS];
    int count;
} table_t;

enum mode { MODE_READ, MODE_WRITE = 4 };

union number { int i; float f; };

static int verbose = 0, depth;
extern const char *names[];
static int parse_line(const char *line, table_t *out);

/* Reads one line. */
static int
parse_line(const char *line, table_t *out)
{
    int i = 0;
    while (line[i] != '=') {
        i++;
    }
    return i;
}

char **split(const char *text)
{
    return NULL;
}

#ifdef DEBUG
void dump(table_t *t) { printf("%d\n", t->count); }
#endif

#endif
