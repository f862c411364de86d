/* Lists what libnetcdf finds in files: a line for each dimension, variable and attribute, with its bytes. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status, const char *what)
{
	if (status != NC_NOERR) {
		fprintf(stderr, "%s: %s\n", what, nc_strerror(status));
		exit(1);
	}
}

static void hex(const void *p, size_t n)
{
	const unsigned char *b = p;
	for (size_t i = 0; i < n; i++)
		printf("%02x", b[i]);
}

static void attributes(int id, int var, const char *path, int n)
{
	for (int i = 0; i < n; i++) {
		char name[NC_MAX_NAME + 1];
		nc_type type;
		size_t len, size;
		check(nc_inq_attname(id, var, i, name), "attribute");
		check(nc_inq_att(id, var, name, &type, &len), name);
		check(nc_inq_type(id, type, NULL, &size), name);
		void *value = calloc(len + 1, size);
		check(nc_get_att(id, var, name, value), name);
		printf("attribute %s %d %s type %d ", path, i, name, type);
		hex(value, len * size);
		printf("\n");
		free(value);
	}
}

static void variable(int id, int var, const char *group)
{
	char name[NC_MAX_NAME + 1], path[4 * NC_MAX_NAME];
	nc_type type;
	int n, dims[NC_MAX_VAR_DIMS], natts, shuffle, deflate, level;
	size_t size, count = 1;
	check(nc_inq_var(id, var, name, &type, &n, dims, &natts), "variable");
	check(nc_inq_type(id, type, NULL, &size), name);
	snprintf(path, sizeof path, "%s/%s", group, name);
	printf("variable %s type %d (", path, type);
	for (int i = 0; i < n; i++) {
		char dim[NC_MAX_NAME + 1];
		size_t len;
		check(nc_inq_dim(id, dims[i], dim, &len), "dimension");
		printf(" %s=%zu", dim, len);
		count *= len;
	}
	check(nc_inq_var_deflate(id, var, &shuffle, &deflate, &level), name);
	printf(" ) deflate %d fill ", n > 0 && deflate ? level : 0);
	void *value = calloc(count + 1, size);
	int none;
	check(nc_inq_var_fill(id, var, &none, value), name);
	hex(value, size);
	printf(" = ");
	if (count > 0)
		check(nc_get_var(id, var, value), name);
	hex(value, count * size);
	printf("\n");
	free(value);
	attributes(id, var, path, natts);
}

static void group(int id, const char *path)
{
	int n, ids[NC_MAX_DIMS], open[NC_MAX_DIMS], unlimited, natts;
	printf("group %s/\n", path);
	check(nc_inq_dimids(id, &n, ids, 0), path);
	check(nc_inq_unlimdims(id, &unlimited, open), path);
	for (int i = 0; i < n; i++) {
		char name[NC_MAX_NAME + 1];
		size_t len;
		int grows = 0;
		check(nc_inq_dim(id, ids[i], name, &len), "dimension");
		for (int k = 0; k < unlimited; k++)
			grows |= open[k] == ids[i];
		printf("dimension %s/%s %zu%s\n", path, name, len, grows ? " unlimited" : "");
	}
	check(nc_inq_varids(id, &n, ids), path);
	for (int i = 0; i < n; i++)
		variable(id, ids[i], path);
	check(nc_inq_natts(id, &natts), path);
	attributes(id, NC_GLOBAL, path, natts);
	check(nc_inq_grps(id, &n, ids), path);
	int *groups = malloc((n + 1) * sizeof *groups);
	memcpy(groups, ids, n * sizeof *groups);
	for (int i = 0; i < n; i++) {
		char name[NC_MAX_NAME + 1], below[4 * NC_MAX_NAME];
		check(nc_inq_grpname(groups[i], name), path);
		snprintf(below, sizeof below, "%s/%s", path, name);
		group(groups[i], below);
	}
	free(groups);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int id;
		check(nc_open(argv[i], NC_NOWRITE, &id), argv[i]);
		printf("file\n");
		group(id, "");
		check(nc_close(id), argv[i]);
	}
	return 0;
}
