/* test-digest - SHA-256: the examples of FIPS 180-4, every length around a
 * block, and the same however it is cut in pieces. TAP. */
#include <stdlib.h>

#include "base/mem.h"
#include "fs/digest.h"
#include "tap.h"

enum { MANY = 1000000, LENGTHS = 200 };

static const struct {
	const char *text, *hex;
} rows[] = {
	{"",
	 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc",
	 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
	 "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	 "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static void hex_of(const struct lb_piece *pieces, size_t n, char hex[65])
{
	unsigned char digest[LB_DIGEST_SIZE];

	lb_digest(pieces, n, digest);
	for (size_t i = 0; i < LB_DIGEST_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static void test_many(void)
{
	lb_autofree char *a = lb_alloc(MANY);
	char hex[65];

	memset(a, 'a', MANY);
	hex_of(&(struct lb_piece){a, MANY}, 1, hex);
	tap_same("cdc76e5c9914fb9281a1c7e284d73e67"
		 "f1809a48a497200e046d39ccc7112cd0",
		 hex, "a million times 'a'");
}

/* The digest of the digests of the first 200 lengths, as another program
 * makes it. */
static void test_lengths(void)
{
	unsigned char all[LENGTHS * LB_DIGEST_SIZE];
	char text[LENGTHS], hex[65];

	for (size_t i = 0; i < LENGTHS; i++)
		text[i] = (char)('a' + i % 26);
	for (size_t i = 0; i < LENGTHS; i++)
		lb_digest(&(struct lb_piece){text, i}, 1,
			  all + i * LB_DIGEST_SIZE);
	hex_of(&(struct lb_piece){all, sizeof(all)}, 1, hex);
	tap_same("f26702e1392a8459f8a82cf5204d220b978466b6b6a2a0edf6c5fbe199584"
		 "e2f",
		 hex, "all lengths to 199");
}

static void test_pieces(void)
{
	static const char text[] = "the quick brown fox jumps over the lazy "
				   "dog, and then over it again, and again: "
				   "more than two blocks of sixty-four bytes";
	char whole[65], cut[65];
	bool same = true;

	hex_of(&(struct lb_piece){text, sizeof(text)}, 1, whole);
	for (size_t i = 0; i <= sizeof(text); i++) {
		const struct lb_piece two[] = {{text, i},
					       {text + i, sizeof(text) - i}};

		hex_of(two, 2, cut);
		same = same && strcmp(whole, cut) == 0;
	}
	tap_ok(same, "the same in any two pieces");
}

int main(void)
{
	char hex[65];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		hex_of(&(struct lb_piece){rows[i].text, strlen(rows[i].text)},
		       1, hex);
		tap_same(rows[i].hex, hex, rows[i].text);
	}
	test_many();
	test_lengths();
	test_pieces();
	return tap_end();
}
