/* Truncated power method (Yuan and Zhang 2013), as a separate program that spcabench can run.
 *
 *   cc -O2 -o tpower tpower.c -lm
 *   spcabench compare --command "./tpower {covariance:csv} {k} {out}" --name tpower_c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n;

static double *numbers(const char *name)        /* read Sigma (n, n) and set n */
{
    FILE *file = fopen(name, "r");
    double *S = NULL, value;
    size_t count = 0, room = 0;
    if (!file) { perror(name); exit(1); }
    while (fscanf(file, " %lf%*[,;]", &value) == 1 || fscanf(file, "%lf", &value) == 1) {
        if (count == room) S = realloc(S, (room = 2 * room + 64) * sizeof *S);
        S[count++] = value;
    }
    fclose(file);
    n = (int)(sqrt((double)count) + 0.5);
    if (count == 0 || (size_t)n * n != count) { fprintf(stderr, "%s: not square\n", name); exit(1); }
    return S;
}

static const double *sorted_by;
static int by_size(const void *a, const void *b)
{
    double x = fabs(sorted_by[*(const int *)a]), y = fabs(sorted_by[*(const int *)b]);
    return (x < y) - (x > y);
}

static void project(double *x, int k, int *order)   /* keep the k largest entries, norm one */
{
    double norm = 0.0;
    for (int i = 0; i < n; i++) order[i] = i;
    sorted_by = x;
    qsort(order, n, sizeof *order, by_size);
    for (int i = k; i < n; i++) x[order[i]] = 0.0;
    for (int i = 0; i < n; i++) norm += x[i] * x[i];
    for (int i = 0; i < n; i++) x[i] /= sqrt(norm);
}

int main(int count, char **words)
{
    if (count != 4) { fprintf(stderr, "usage: tpower covariance.csv k out.txt\n"); return 2; }
    double *S = numbers(words[1]);
    int k = atoi(words[2]), *order = malloc(n * sizeof *order), best = 0;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), largest = -1.0;
    for (int j = 0; j < n; j++) {                   /* start from the largest column */
        double norm = 0.0;
        for (int i = 0; i < n; i++) norm += S[j * n + i] * S[j * n + i];
        if (norm > largest) { largest = norm; best = j; }
    }
    memcpy(x, S + best * n, n * sizeof *x);
    project(x, k, order);
    for (int step = 0; step < 1000; step++) {
        double change = 0.0;
        for (int i = 0; i < n; i++) {
            y[i] = 0.0;
            for (int j = 0; j < n; j++) y[i] += S[i * n + j] * x[j];
        }
        project(y, k, order);
        for (int i = 0; i < n; i++) change += (y[i] - x[i]) * (y[i] - x[i]);
        memcpy(x, y, n * sizeof *x);
        if (change < 1e-12) break;
    }
    FILE *out = fopen(words[3], "w");
    if (!out) { perror(words[3]); return 1; }
    for (int i = 0; i < n; i++) fprintf(out, "%.17g\n", x[i]);
    return fclose(out) != 0;
}
