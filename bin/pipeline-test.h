/* pipeline-test.h - lb-pipeline --test: rules against what is expected. */
#ifndef LB_BIN_PIPELINE_TEST_H
#define LB_BIN_PIPELINE_TEST_H

#include "base/error.h"
#include "pipeline/pipeline.h"

/*
 * Run the cases of a file ("-" is standard input) through a pipeline that is
 * ready, its clock and counters its own. Prints TAP. LB_OK, LB_NO when one
 * came out otherwise, or what was wrong with the file, reported.
 */
int pipeline_test(struct lb_pipeline *p, const char *file);

#endif
