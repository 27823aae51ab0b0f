#!/usr/bin/env python3
"""Runs `sglrun batch` on a Spark cluster: one process in each Python worker, fed by mapInPandas.

    sglrun number in.jsonl -o numbered.jsonl
    spark-submit --py-files sglrun_process.py spark_batch.py numbered.jsonl -m MODEL -o rows [-- OPTIONS OF sglrun batch]
    sglrun merge --lines rows/part-* --records numbered.jsonl -o results.jsonl

Program and model must be at the same place on every node. Spark shows its progress by partitions, and repeats the partitions
of a lost worker. Needs the Python packages pyspark, pandas and pyarrow.
"""

import argparse
import sys
from pathlib import Path

from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sglrun_process  # noqa: E402


def rows_of(settings):
    """The function for mapInPandas: frames of a column `value` with records become frames of rows."""

    def run(frames):
        import pandas

        import sglrun_process

        process = sglrun_process.kept_process(settings)
        for rows in process.map(list(frame["value"]) for frame in frames):
            yield pandas.DataFrame({"value": rows})

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sglrun_process.add_arguments(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="folder for the files of rows; must not exist")
    parser.add_argument("--partitions", type=int, default=64, metavar="N", help="number of tasks (64)")
    parser.add_argument("--block", type=int, default=256, metavar="N", help="records in a frame (256)")
    arguments, settings = sglrun_process.parse_arguments(parser)

    spark = SparkSession.builder.appName("sglrun").getOrCreate()
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", arguments.block)
    spark.sparkContext.addPyFile(sglrun_process.__file__)
    records = spark.read.text(arguments.input, lineSep="\n").repartition(arguments.partitions)
    records.mapInPandas(rows_of(settings), "value string").write.text(arguments.output, lineSep="\n")


if __name__ == "__main__":
    main()
