#!/bin/sh
# Writes the main() of a floor's test binary: floor_main.sh TEST... - the test is chosen by the name that the binary is called by.
echo '#include <stdio.h>'
echo '#include <string.h>'
for t in "$@"; do echo "int main_of_$t(void);"; done
echo 'static const struct { const char *name; int (*run)(void); } test[] = {'
for t in "$@"; do echo "	{\"$t\", main_of_$t},"; done
cat <<'END'
};

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	for (unsigned i = 0; i < sizeof test / sizeof *test; i++)
		if (!strcmp(name, test[i].name))
			return test[i].run();
	fprintf(stderr, "%s: run it by the name of a test:", argv[0]);
	for (unsigned i = 0; i < sizeof test / sizeof *test; i++)
		fprintf(stderr, " %s", test[i].name);
	fputc('\n', stderr);
	return 2;
}
END
