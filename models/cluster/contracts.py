"""What the lake knows about clusters: runs of jobs, accelerators by hour, training runs.

Words are Slurm's (sacct) for jobs, DCGM's for accelerators, METRICS section 1's
for training runs. Null always means "not known"; it is never read as zero.
"""

import pandera.polars as pa
import polars as pl

from models.table import INSTANT, Table

UNIT_SHARE = pa.Check.in_range(0.0, 1.0)
NOT_NEGATIVE = pa.Check.ge(0)
POSITIVE = pa.Check.gt(0)


def _text(*, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.String, nullable=nullable)


def _instant(*, nullable: bool = True) -> pa.Column:
    return pa.Column(INSTANT, nullable=nullable)


def _count(check: pa.Check = NOT_NEGATIVE, *, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.Int64, check, nullable=nullable)


def _number(check: pa.Check = NOT_NEGATIVE, *, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.Float64, check, nullable=nullable)


JOB = Table(
    name="job",
    schema=pa.DataFrameSchema(
        {
            "cluster": _text(nullable=False),
            "job_id": _text(nullable=False),
            "job_name": _text(),
            "account": _text(),
            "namespace": _text(),
            "user": _text(),
            "partition": _text(),
            "qos": _text(),
            "state": _text(nullable=False),
            "submit": _instant(),
            "eligible": _instant(),
            "start": _instant(),
            "end": _instant(),
            "elapsed_s": _number(),
            "timelimit_s": _number(),
            "gpus": _number(),
            "cpus": _count(),
            "nodes": _count(),
            "node_list": _text(),
            "gpu_util_percent": _number(pa.Check.in_range(0.0, 100.0)),
            "gpus_reported": _count(),
        },
        strict=True,
    ),
    replaces=(),
    event_time='coalesce("end", "start" + to_seconds(elapsed_s), submit)',
)
"""One run of one job; a requeued job has a row for each run.

state: Slurm's word without "by UID" (COMPLETED, FAILED, CANCELLED, TIMEOUT,
    NODE_FAIL, OUT_OF_MEMORY, PREEMPTED, REQUEUED, RUNNING, PENDING ...).
end: null while the run goes on. elapsed_s: what the scheduler charges, without
    suspension; for a running job, up to the export.
gpus: whole GPUs, or fractions for MIG and shared ones; null: not in the export.
node_list: node names, expanded, comma-separated.
gpu_util_percent, gpus_reported: from the job's own report (jobstats): mean over
    the GPUs that reported, and how many did.
replaces: by Slurm's own accounting key, where a requeue gets a new Submit; the copy
    that saw most of the run stays (pipelines/sql/job_superseded.sql).
"""

GPU_HOUR = Table(
    name="gpu_hour",
    schema=pa.DataFrameSchema(
        {
            "cluster": _text(nullable=False),
            "node": _text(),
            "gpu_uuid": _text(nullable=False),
            "mig_instance": _text(),
            "mig_profile": _text(),
            "gpu_model": _text(),
            "job_id": _text(),
            "namespace": _text(),
            "hour": _instant(nullable=False),
            "samples": _count(POSITIVE, nullable=False),
            "samples_expected": _count(POSITIVE, nullable=False),
            "gpu_util": _number(UNIT_SHARE),
            "engine_active": _number(UNIT_SHARE),
            "sm_active": _number(UNIT_SHARE),
            "tensor_active": _number(UNIT_SHARE),
            "dram_active": _number(UNIT_SHARE),
            "power_w": _number(),
            "memory_used_mib": _number(),
            "sm_clock_mhz": _number(),
            "memory_temp_c": _number(),
            "flags": _text(),
        },
        strict=True,
    ),
    replaces=("cluster", "gpu_uuid", "hour"),
    event_time="hour + interval 1 hour",
)
"""One accelerator (or one MIG instance of it) in one hour: means over its samples.

engine_active, sm_active, tensor_active, dram_active: DCGM fields 1001, 1002,
    1004, 1005 as shares of time, 0 to 1; gpu_util is field 203 (some kernel ran).
mig_instance: null on the row of a whole GPU. It shares the parent's gpu_uuid:
    the two are never added.
job_id, namespace: where the exporter's labels say who held the accelerator.
samples, samples_expected: seen, and due at the file's own step.
flags: "above_100", "frozen", "not_supported" (comma-separated), values left out.
"""

TRAINING_RUN = Table(
    name="training_run",
    schema=pa.DataFrameSchema(
        {
            "run": _text(nullable=False),
            "tenant": _text(),
            "project": _text(),
            "cluster": _text(),
            "job_id": _text(),
            "accelerator": _text(nullable=False),
            "accelerators": _count(POSITIVE, nullable=False),
            "precision": _text(nullable=False),
            "formula": _text(nullable=False),
            "start": _instant(),
            "end": _instant(),
            "params": _count(POSITIVE),
            "active_params": _count(POSITIVE),
            "layers": _count(POSITIVE),
            "hidden": _count(POSITIVE),
            "ffn_hidden": _count(POSITIVE),
            "gated_ffn": pa.Column(pl.Boolean, nullable=True),
            "heads": _count(POSITIVE),
            "head_size": _count(POSITIVE),
            "value_head_size": _count(POSITIVE),
            "kv_heads": _count(POSITIVE),
            "seq_len": _count(POSITIVE),
            "vocab": _count(POSITIVE),
            "moe_layers": _count(),
            "experts_active": _count(POSITIVE),
            "moe_ffn_hidden": _count(POSITIVE),
            "shared_ffn_hidden": _count(),
            "sliding_window": _count(POSITIVE),
            "sliding_layers": _count(),
            "causal": pa.Column(pl.Boolean, nullable=True),
            "recompute": _text(),
            "batch_seqs": _number(POSITIVE),
            "tokens_per_s": _number(POSITIVE),
            "step_time_s": _number(POSITIVE),
            "tflops_per_accelerator": _number(POSITIVE),
            "peak_tflops": _number(POSITIVE),
            "goodput_percent": _number(pa.Check.in_range(0.0, 100.0)),
        },
        strict=True,
    ),
    replaces=("run", "start"),
    event_time='coalesce("end", "start")',
)
"""One training run, or one interval of it, with what its MFU is computed from.

formula: 6n, palm, mosaic, titan, korthikanti, sc21, megatron, maxtext.
params, active_params: all, and those active for a token (MoE).
recompute: none, selective, full. causal: overrides the formula's own counting.
tokens_per_s: of the whole run. step_time_s: one step of batch_seqs sequences.
tflops_per_accelerator: model TFLOP/s as the run reports them, used where no
    shape and speed are given. peak_tflops: the peak the run was judged against,
    where it is not the accelerator table's.
goodput_percent: productive step time over wall time.
"""

TABLES = (JOB, GPU_HOUR, TRAINING_RUN)
