"""How the tables of the utilisation page are headed and formatted."""

from ui.i18n import t
from ui.tables import Column

WHOLE, TENTH, HUNDREDTH = "%,.0f", "%.1f", "%.2f"


def _figure(label: str, shape: str, width: int | None = None, hint: str | None = None) -> Column:
    return Column(label, shape, width, kind="number", hint=hint)


def _cost(currency: str) -> Column:
    return _figure(t("Cost, {currency}", currency=currency), WHOLE)


def clusters(currency: str) -> dict[str, Column]:
    """A row a cluster."""
    return {
        "label": Column(t("Cluster"), width="medium"),
        "status": Column(t("Use")),
        "gpus": _figure(t("GPUs"), "%d"),
        "owned": _figure(t("Owned, GPU-h"), WHOLE),
        "allocated": _figure(t("Allocated, GPU-h"), WHOLE),
        "allocated_percent": _figure(t("Allocated, %"), TENTH),
        "active_percent": _figure(t("Active, %"), TENTH),
        "cost": _cost(currency),
    }


def idle(currency: str) -> dict[str, Column]:
    """A row a cluster or job that does nothing."""
    return {
        "what": Column(t("What"), width="medium"),
        "cluster_label": Column(t("Cluster")),
        "tenant_label": Column(t("Tenant")),
        "owner": Column(t("Owner")),
        "gpus": _figure(t("GPUs"), TENTH),
        "use_percent": _figure(t("Use, %"), TENTH),
        "gpu_hours": _figure(t("Idle, GPU-h"), WHOLE),
        "cost": _cost(currency),
        "last_active": Column(t("Last active")),
    }


def tenants(currency: str) -> dict[str, Column]:
    """A row a cluster and tenant."""
    return {
        "tenant_label": Column(t("Tenant")),
        "cluster_label": Column(t("Cluster")),
        "jobs": _figure(t("Jobs"), "%d"),
        "gpu_hours": _figure(t("GPU-hours"), WHOLE),
        "cost": _cost(currency),
    }


def waits() -> dict[str, Column]:
    """A row a cluster, in minutes."""
    return {
        "label": Column(t("Cluster")),
        "runs": _figure(t("Runs"), "%d", 65),
        "pending": _figure(t("Pending"), "%d", 70),
        "mean_min": _figure(t("Mean"), TENTH, 65),
        "p50_min": _figure("P50", TENTH, 65),
        "p95_min": _figure("P95", TENTH, 65),
        "submit_mean_min": _figure(
            t("Submitted"), TENTH, 90, t("Mean wait from submission, holds by the user included")
        ),
    }


def mfu() -> dict[str, Column]:
    """A row a run and peak."""
    return {
        "run": Column(t("Run")),
        "tenant_label": Column(t("Tenant")),
        "hardware": Column(t("Accelerators")),
        "precision": Column(t("Precision"), width=80),
        "formula": Column(t("Formula"), width=90),
        "peak_tflops": _figure(t("Peak"), TENTH, 75, t("Dense TFLOP/s of one accelerator")),
        "mfu_percent": _figure(t("MFU, %"), HUNDREDTH, 75),
        "hfu_percent": _figure(t("HFU, %"), HUNDREDTH, 75),
        "effective_percent": _figure(
            t("Effective, %"), HUNDREDTH, 90, t("MFU x runtime goodput, where the run states it")
        ),
        "words": Column(t("Note")),
    }
