/* offline-vectors.c - vectors of the words of a text, without a network. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "llm/embed.h"

/* Letters and digits of ASCII, and whatever is beyond it. */
static bool in_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static void add(float *at, const char *text, size_t len, float weight)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint32_t)tolower((unsigned char)text[i])) * 16777619u;
	h ^= h >> 15;
	h *= 2246822519u;
	h ^= h >> 13;
	at[h % LB_OFFLINE_DIMENSIONS] += h & 0x10000 ? weight : -weight;
}

/* The word, and its pieces of four bytes: "pipe" and "pipes" are alike. */
static void add_word(float *at, const char *word, size_t len)
{
	add(at, word, len, 1);
	for (size_t i = 0; i + 4 <= len; i++)
		add(at, word + i, 4, 0.5F);
}

void lb_offline_vector(const char *text, float *at)
{
	double sum = 0;

	memset(at, 0, LB_OFFLINE_DIMENSIONS * sizeof(*at));
	while (*text) {
		size_t len = 0;

		while (in_word(text[len]))
			len++;
		if (len > 0)
			add_word(at, text, len);
		text += len ? len : 1;
	}
	for (size_t i = 0; i < LB_OFFLINE_DIMENSIONS; i++)
		sum += (double)at[i] * (double)at[i];
	if (!(sum > 0)) {
		at[0] = 1;
		return;
	}
	for (size_t i = 0; i < LB_OFFLINE_DIMENSIONS; i++)
		at[i] = (float)((double)at[i] / sqrt(sum));
}

double lb_offline_score(const char *query, const char *text)
{
	float a[LB_OFFLINE_DIMENSIONS], b[LB_OFFLINE_DIMENSIONS];
	double sum = 0;

	lb_offline_vector(query, a);
	lb_offline_vector(text, b);
	for (size_t i = 0; i < LB_OFFLINE_DIMENSIONS; i++)
		sum += (double)a[i] * (double)b[i];
	/* two texts that are the same are no more alike than that */
	return sum > 1 ? 1 : sum;
}
