"""How the tables of the utilisation page are headed and formatted."""

from ui.i18n import t
from ui.tables import Column

WHOLE, TENTH, HUNDREDTH = "%,.0f", "%.1f", "%.2f"


def _figure(label: str, shape: str) -> Column:
    return Column(label, shape, kind="number")


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
        "last_active": Column(t("Last active"), kind="datetime"),
    }


def tenants(currency: str) -> dict[str, Column]:
    """A row a cluster and tenant."""
    return {
        "tenant_label": Column(t("Tenant"), width="medium"),
        "cluster_label": Column(t("Cluster")),
        "jobs": _figure(t("Jobs"), "%d"),
        "gpu_hours": _figure(t("GPU-hours"), WHOLE),
        "cost": _cost(currency),
    }


def waits() -> dict[str, Column]:
    """A row a cluster, in minutes."""
    return {
        "label": Column(t("Cluster")),
        "runs": _figure(t("Runs"), "%d"),
        "pending": _figure(t("Pending"), "%d"),
        "mean_min": _figure(t("Mean"), TENTH),
        "p50_min": _figure("P50", TENTH),
        "p95_min": _figure("P95", TENTH),
        "submit_mean_min": _figure(t("From submission"), TENTH),
    }


def mfu() -> dict[str, Column]:
    """A row a run and peak."""
    return {
        "run": Column(t("Run"), width="medium"),
        "tenant_label": Column(t("Tenant")),
        "accelerator": Column(t("Accelerator")),
        "accelerators": _figure(t("Count"), "%d"),
        "precision": Column(t("Precision")),
        "formula": Column(t("Formula")),
        "peak_tflops": _figure(t("Peak, TFLOP/s"), TENTH),
        "mfu_percent": _figure(t("MFU, %"), HUNDREDTH),
        "hfu_percent": _figure(t("HFU, %"), HUNDREDTH),
        "effective_percent": _figure(t("MFU x goodput, %"), HUNDREDTH),
        "words": Column(t("Note"), width="large"),
    }
